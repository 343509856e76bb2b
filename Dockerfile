# One image for each service, from two targets:
#
#   docker build --target plain --build-arg SERVICE=ingest   -t mediaflow-ingest .      ingest, console, replayer
#   docker build --target media --build-arg SERVICE=transcode -t mediaflow-transcode .   thumbnail, transcode, subtitle
#
# `make images` builds them all. Debian's Python and ffmpeg; packages from requirements.lock with their hashes.

ARG BASE=debian:trixie-slim

FROM ${BASE} AS python
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/* /var/log/*.log

# The environment is built beside the image: no pip, no cache and no build tool is left in it.
FROM python AS environment
ARG SERVICE
ARG PIP_INDEX_URL
RUN apt-get update && apt-get install --yes --no-install-recommends python3-venv
COPY requirements.lock scripts/image_environment.py /build/
COPY libs/ /build/libs/
COPY services/ /build/services/
RUN python3 /build/image_environment.py ${SERVICE} /opt/mediaflow

FROM python AS plain
ARG SERVICE
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="mediaflow-${SERVICE}" \
      org.opencontainers.image.description="Mediaflow: ${SERVICE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
COPY --from=environment /opt/mediaflow /opt/mediaflow
ENV PATH=/opt/mediaflow/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
USER 10001:10001
WORKDIR /tmp
# A link to the service's own command, so that this form works for all: without a shell, SIGTERM reaches Python.
ENTRYPOINT ["/opt/mediaflow/bin/service"]

FROM plain AS media
USER root
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ffmpeg \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/* /var/log/*.log
USER 10001:10001
