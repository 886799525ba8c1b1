#!/bin/sh
# Sets up the virtual environment that the Makefile works in. POSIX sh, since it runs before any
# Python is known to be there. Everything that can be missing on a machine is told in one line.
#
#   tools/setup.sh venv                 make the environment: Python >= 3.11, a C++20 compiler
#   tools/setup.sh requirements SET...  install pinned requirements: build, run, or an extra's name
#   tools/setup.sh install              build the kernel and install solstat, not editable
#   tools/setup.sh browser              see that tests find a Chromium, for pages that are written
#
# From the environment: PYTHON (python3), VENV (.venv), CXX (the compiler CMake would find), WERROR
# (ON: a warning of the compiler stops the build).
set -eu

PYTHON=${PYTHON:-python3}
VENV=${VENV:-.venv}
LOG=$VENV/setup.log

say() { printf '%s\n' "$*" >&2; }
fail() { say "Error: $*"; exit 1; }

check_python() {
    command -v "$PYTHON" >/dev/null 2>&1 ||
        fail "no $PYTHON on this machine: install Python 3.11 or newer, or name one: make PYTHON=python3.12"
    version=$("$PYTHON" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) ||
        fail "$PYTHON does not run: install Python 3.11 or newer, or name one: make PYTHON=python3.12"
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$PYTHON is Python $version, solstat needs 3.11 or newer: name one with make PYTHON=python3.12"
    "$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
        fail "$PYTHON has no venv module: install it (Debian and Ubuntu: apt install python3-venv)"
    "$PYTHON" -c 'import os, sysconfig; open(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null ||
        fail "$PYTHON has no C headers: install them (Debian and Ubuntu: apt install python3-dev)"
}

check_compiler() {
    trial=$(mktemp -d)
    trap 'rm -rf "$trial"' EXIT
    printf '#include <bit>\n#include <concepts>\n#include <span>\nint main() { return std::popcount(0u); }\n' >"$trial/a.cpp"
    for compiler in ${CXX:-c++ g++ clang++}; do
        if command -v "$compiler" >/dev/null 2>&1 &&
            "$compiler" -std=c++20 -o "$trial/a.out" "$trial/a.cpp" >/dev/null 2>&1; then
            return
        fi
    done
    fail "no C++20 compiler (tried ${CXX:-c++, g++, clang++}): install g++ 10 or clang 10 or newer, or name one: make CXX=g++-12"
}

# Runs pip with its output in the log; what stopped it becomes one line.
pip() {
    "$VENV/bin/python" -m pip --disable-pip-version-check "$@" >"$LOG" 2>&1 && return
    if grep -Eq 'NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionError|ProxyError|SSLError|name resolution|from versions: none' "$LOG"; then
        fail "could not download what solstat needs: is there a network? (pip's words: $LOG)"
    fi
    reason=$(grep -E '(^|[^a-z])(error|ERROR|FAILED):' "$LOG" | head -n 1)
    fail "pip failed: ${reason:-see its words} ($LOG)"
}

has_browser() {
    command -v chromedriver >/dev/null 2>&1 || return 1
    for browser in chromium chromium-browser google-chrome; do
        command -v "$browser" >/dev/null 2>&1 && return
    done
    return 1
}

apt() { DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >>"$LOG" 2>&1; }

# The lists of packages may be missing, or older than the packages.
install_browser() {
    : >"$LOG"
    apt install --no-install-recommends chromium chromium-driver ||
        { apt update && apt install --no-install-recommends chromium chromium-driver; }
}

case ${1:-} in
venv)
    check_python
    check_compiler
    if "$VENV/bin/python" -c '' 2>/dev/null; then
        say "Using the environment in $VENV"
    else
        say "Making $VENV with Python $version"
        "$PYTHON" -m venv "$VENV" >/dev/null || fail "$PYTHON -m venv $VENV failed"
    fi
    ;;
requirements)
    shift
    say "Installing requirements: $*"
    "$VENV/bin/python" tools/requirements.py "$@" >"$VENV/requirements.txt"
    pip install --constraint constraints.txt --requirement "$VENV/requirements.txt"
    ;;
install)
    say "Building and installing solstat"
    # Build requirements are in the environment, pinned; the build folder stays for the next time.
    pip install --no-build-isolation --no-deps --force-reinstall --config-settings build-dir="$VENV/build" \
        --config-settings cmake.define.SOLSTAT_WERROR="${WERROR:-OFF}" .
    ;;
browser)
    how="install them (Debian: apt install chromium chromium-driver)"
    has_browser && exit
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 ||
        fail "no chromium and chromedriver on this machine, which tests of reports need: $how"
    say "Installing chromium and chromedriver, for tests"
    install_browser && has_browser ||
        fail "apt-get could not install chromium and chromedriver: $how (its words: $LOG)"
    ;;
*)
    fail "usage: tools/setup.sh venv | requirements SET... | install | browser"
    ;;
esac
