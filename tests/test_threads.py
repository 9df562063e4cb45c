"""Work in threads is as in one: order, exceptions, and what numpy is told about errors."""

import os
import threading
import time
import weakref

import numpy as np
import pytest

from bbccli.platform.resources import ordered_map


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_are_in_order(jobs):
    def slow_first(number):
        time.sleep(0.01 if number == 0 else 0)
        return number

    assert list(ordered_map(slow_first, range(9), jobs)) == list(range(9))


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_exception_is_the_caller_s(jobs):
    with pytest.raises(ZeroDivisionError):
        list(ordered_map(lambda number: 1 // number, [2, 1, 0, 3], jobs))


@pytest.mark.parametrize("jobs", [1, 3])
def test_errors_that_are_quiet_here_are_quiet_there(jobs):
    huge = np.full(2, 1e200)
    with np.errstate(over="ignore"):
        (found,) = ordered_map(np.square, [huge], jobs)
    assert np.isinf(found).all()
    with pytest.raises(FloatingPointError), np.errstate(over="raise"):
        list(ordered_map(np.square, [huge], jobs))


def together(jobs):
    """Idents of the threads that work on as many items at once; broken if they are fewer."""
    meet = threading.Barrier(jobs, timeout=60)

    def one(_):
        meet.wait()
        return threading.get_ident()

    return list(ordered_map(one, range(jobs), jobs))


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_calling_thread_is_one_of_them_and_others_stay(jobs):
    first = together(jobs)
    assert len(set(first)) == jobs
    assert threading.get_ident() in first
    assert set(together(jobs)) == set(first)


def test_no_more_work_at_a_time_than_asked_for():
    one_too_many = threading.Barrier(4, timeout=0.2)

    def meet(_):
        one_too_many.wait()

    with pytest.raises(threading.BrokenBarrierError):
        list(ordered_map(meet, range(8), 3))


def test_work_within_work():
    def inner(number):
        return sum(ordered_map(lambda other: number * other, range(5), 3))

    assert list(ordered_map(inner, range(7), 3)) == [10 * number for number in range(7)]


def test_work_that_is_done_is_not_kept_until_a_thread_is_free():
    both, done, kept = threading.Barrier(2, timeout=60), threading.Event(), []

    def within():
        large = np.ones(9)
        assert list(ordered_map(lambda place: large[place], range(9), 2)) == [1] * 9
        return weakref.ref(large)

    def one(_):
        both.wait()
        if threading.current_thread() is not threading.main_thread():
            done.wait(60)  # busy: it takes none of the work within
            return
        kept.append(within()())
        done.set()

    list(ordered_map(one, range(2), 2))
    assert kept == [None]


def test_the_exception_of_the_first_item_comes_first():
    def fails(number):
        time.sleep(0.1 * (number == 0))
        raise ValueError(number)

    def slowly():
        yield 0
        time.sleep(0.02)  # the other thread begins it
        yield from range(1, 4)

    with pytest.raises(ValueError, match="^0$"):
        list(ordered_map(fails, slowly(), 2))


@pytest.mark.parametrize(("error", "most"), [(ValueError, 8), (KeyboardInterrupt, 3)])
def test_after_an_exception_nothing_starts_and_nothing_runs_on(error, most):
    """An error comes in its turn: behind the two that run before it, for which two follow."""
    caller = threading.get_ident()

    def begun_in_all(seconds):
        """Items begun, and by the caller, if what runs ends so long after its exception."""
        release, begun, ended, here = threading.Event(), [], [], []
        two_begun = threading.Semaphore(0)

        def items():
            yield from range(2)
            assert two_begun.acquire(timeout=60) and two_begun.acquire(timeout=60)
            yield from range(2, 50)

        def one(number):
            begun.append(number)
            if threading.get_ident() == caller:
                here.append(number)
                threading.Timer(seconds, release.set).start()
                raise error
            two_begun.release()
            assert release.wait(60)
            ended.append(number)

        with pytest.raises(error):
            list(ordered_map(one, items(), 3))
        assert len(here) == 1
        assert sorted(ended + here) == sorted(begun)
        return len(begun)

    # a busy machine may take a while to cancel what has not begun
    assert any(begun_in_all(seconds) <= most for seconds in (0.1, 1, 10))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_has_threads_of_its_own():
    together(2)
    child = os.fork()
    if not child:
        try:
            os._exit(len(set(together(2))))
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
