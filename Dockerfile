# One image for each service. Debian's Python, Debian's ffmpeg where media is touched, packages from the lock files with
# their hashes; no pip, compiler or cache is left in them. `make images` builds them all with scripts/images, which calls
#
#   docker build --build-arg SERVICE=ingest -t mediaflow-ingest .                              ingest, console, replayer
#   docker build --build-arg SERVICE=transcode --build-arg RUNTIME=media -t mediaflow-transcode .      a channel's worker
#   docker build --target load -t mediaflow-load .                                                   the load generator
#
# Nothing in here names a channel: one of your own, services/<name>, is one more SERVICE.
# Layers go from what seldom changes to what often does, and the first ones are the same in all images.

ARG BASE=debian:trixie-slim
# Where packages are installed before they are copied; one of your own where the network wants a proxy's certificate.
# No more than its /layers gets into an image.
ARG BUILDER=${BASE}
# python, or media: Python and ffmpeg.
ARG RUNTIME=python

FROM ${BASE} AS python
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 tini \
    && echo 'mediaflow:x:10001:10001:Mediaflow:/tmp:/usr/sbin/nologin' >>/etc/passwd \
    && echo 'mediaflow:x:10001:' >>/etc/group \
    && install -d -o 10001 -g 10001 /var/lib/mediaflow \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/cache/ldconfig/* /var/log/*
ENV PATH=/opt/mediaflow/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
WORKDIR /tmp

# Debian's ffmpeg can show videos on a screen, so it asks for drivers of graphics cards: 200 MB that nothing here would ever
# open. An empty package stands in for them.
FROM python AS media
RUN apt-get update \
    && mesa=$(apt-cache show --no-all-versions mesa-libgallium | sed -n 's/^Version: //p') \
    && mkdir -p /tmp/no-drivers/DEBIAN \
    && printf '%s\n' 'Package: mediaflow-no-graphics-drivers' 'Version: 1' 'Architecture: all' 'Maintainer: Mediaflow' \
        "Provides: mesa-libgallium (= ${mesa}), libgl1-mesa-dri (= ${mesa})" \
        'Description: stands in for graphics drivers' >/tmp/no-drivers/DEBIAN/control \
    && dpkg-deb --build /tmp/no-drivers /tmp/no-drivers.deb \
    && apt-get install --yes --no-install-recommends ffmpeg /tmp/no-drivers.deb \
    && rm -rf /tmp/no-drivers* \
        /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/cache/ldconfig/* /var/log/*

FROM ${BUILDER} AS builder
# Where packages come from, if not from the public index. It stays in here.
ARG PIP_INDEX_URL
WORKDIR /build
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates python3 python3-pip
COPY scripts/image_environment.py ./

FROM builder AS load-packages
COPY requirements-dev.lock ./
COPY tests/load/requirements.in tests/load/
RUN python3 image_environment.py load

FROM python AS load
COPY --from=load-packages /layers/load /
COPY tests/load/ /opt/mediaflow/load/
USER 10001:10001
# A load that was stopped in its first moment has shown nothing: no code is made 0 here.
ENTRYPOINT ["/usr/bin/tini", "--", "/opt/mediaflow/bin/python", "/opt/mediaflow/load/run.py"]

FROM builder AS packages
COPY requirements.lock ./
RUN python3 image_environment.py tools
COPY libs/mq_common/pyproject.toml libs/mq_common/
COPY libs/media_common/pyproject.toml libs/media_common/
RUN python3 image_environment.py shared
COPY libs/local_fleet/pyproject.toml libs/local_fleet/
ARG SERVICE
COPY services/${SERVICE}/pyproject.toml services/${SERVICE}/
ARG EXTRAS
RUN python3 image_environment.py packages ${SERVICE} ${EXTRAS}
COPY libs/ libs/
COPY services/${SERVICE}/ services/${SERVICE}/
RUN python3 image_environment.py own ${SERVICE}

FROM ${RUNTIME} AS service
COPY --from=packages /layers/shared /
COPY --from=packages /layers/packages /
COPY --from=packages /layers/own /
USER 10001:10001
# The service's own command. Without a shell in between, SIGTERM reaches Python. A first process of its own
# ignores it until Python has a handler, and Kubernetes sends it once: tini is the first process, so that a stop in the
# first moment ends the service too (with 0, as asked), instead of leaving it until the end of its grace time.
ENTRYPOINT ["/usr/bin/tini", "-e", "143", "--", "/opt/mediaflow/bin/service"]
