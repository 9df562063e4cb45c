# docker build -t bbc . && docker run --rm -v "$PWD:/data" bbc correct predictions.parquet
FROM python:3.12-slim AS built
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.12-slim
COPY --from=built /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[report]" && rm -r /wheels \
    && useradd --create-home bbc
USER bbc
WORKDIR /data
ENTRYPOINT ["bbc"]
