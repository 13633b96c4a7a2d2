# The image holds the program, the roots of trust for outgoing TLS, an empty
# folder for data and one for temporary files. Nothing else: no shell.

# The builder's own machine, whatever the image is for. Older builders do not say which.
ARG BUILDPLATFORM=linux
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/relay . \
 && mkdir -m 0700 /out/data \
 && mkdir -m 1777 /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
COPY --from=build /out/relay /relay
USER 65532:65532
# Behind a container's network every browser looks like a private address, so
# the keys are shown to whoever brings the set-up code from the log.
ENV RELAY_SETUP=code
# A proxy reaches a container from outside; which port is published decides who else does.
ENV HOST=0.0.0.0
# The default database, sqlite://relay.db, lies in the working directory.
WORKDIR /data
VOLUME /data
EXPOSE 3000 3001
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["/relay", "healthcheck"]
ENTRYPOINT ["/relay"]
