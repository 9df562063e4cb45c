"""Selection on some samples, evaluation on the others: what the methods with a split share."""
