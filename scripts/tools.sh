# Finds ffmpeg and a broker, and installs what is missing where that is allowed.

# Where packages put the server script that any user can run.
RABBITMQ_PROGRAMS=${BOOTSTRAP_RABBITMQ_PROGRAMS:-/usr/lib/rabbitmq/bin/rabbitmq-server /opt/rabbitmq/sbin/rabbitmq-server}

# ensure_tools fleet|dev: tests start private nodes of their own, so a container is not enough for dev; they also need
# promtool, which Debian packs with Prometheus, and a browser for the console's pages.
ensure_tools() {
    missing=""
    { have ffmpeg && have ffprobe; } || missing="ffmpeg"
    have_broker "$1" || missing="$missing rabbitmq-server"
    [ "$1" != dev ] || have promtool || missing="$missing prometheus"
    [ "$1" != dev ] || have chromium || missing="$missing chromium"
    missing=${missing# }
    [ -n "$missing" ] || return 0
    if may_install; then
        # shellcheck disable=SC2086 # names of packages, without blanks
        install_packages $missing
        case $missing in
            *rabbitmq*) disable_services rabbitmq-server.service epmd.service epmd.socket ;;
        esac
        case $missing in
            *prometheus*) disable_services prometheus.service ;;
        esac
        return
    fi
    fail "missing and not installable from here: $missing. Run: $(advice)"
}

have_broker() {
    [ "$1" = dev ] || [ -z "${AMQP_URL:-}" ] || return 0
    if [ "${MEDIAFLOW_FLEET_BROKER:-auto}" != docker ] || [ "$1" = dev ]; then
        for program in $RABBITMQ_PROGRAMS; do
            [ ! -x "$program" ] || return 0
        done
    fi
    [ "$1" != dev ] && [ "${MEDIAFLOW_FLEET_BROKER:-auto}" != private ] && have docker && docker version >/dev/null 2>&1
}

advice() {
    if have apt-get; then
        printf 'sudo apt-get install %s' "$missing"
    else
        printf 'your package manager for %s' "$missing"
    fi
    case $missing in
        *rabbitmq*) printf ' (instead of rabbitmq-server also: start Docker, or set AMQP_URL)' ;;
    esac
}
