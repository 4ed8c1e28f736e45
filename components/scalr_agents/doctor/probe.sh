#!/bin/sh
# What only a pod can try: writing to its volumes, DNS, TLS to Scalr and the registries, and the metadata services.
#
# It needs a POSIX shell, and uses whichever of curl, python3, wget, openssl, getent, nslookup and nc are there. What it is told to try is in
# variables PROBE_*, one item per line. Each line that it prints is:  scalr-agents-probe|CHECK|TARGET|ok, failed or untried|DETAIL
# It prints no output of the tools, which may have the address of a proxy with its password.
set -u

say() { printf 'scalr-agents-probe|%s|%s|%s|%s\n' "$1" "$2" "$3" "${4:-}"; }
has() { command -v "$1" >/dev/null 2>&1; }

# each COMMAND LINES
each() {
  printf '%s\n' "$2" | while IFS= read -r item; do
    if [ -n "$item" ]; then "$1" "$item"; fi
  done
}

python() {
  if has python3; then python3 -c "$@"; elif has /usr/bin/python; then /usr/bin/python -c "$@"; else return 127; fi
}
has_python() { python 'import ssl' >/dev/null 2>&1; }

try_write() {
  file="$1/.scalr-agents-probe-$PROBE_CONTAINER-$$"
  if (printf 'probe\n' >"$file") 2>/dev/null && rm -f "$file" 2>/dev/null; then
    say write "$1" ok "user $(id -u)"
    return
  fi
  rm -f "$file" 2>/dev/null
  owner=$(stat -c 'mode %a of %u:%g' "$1" 2>/dev/null)
  say write "$1" failed "user $(id -u), groups $(id -G); directory ${owner:-unknown}"
}

try_name() {
  resolves "$1"
  case $? in
  0) say dns "$1" ok ;;
  2) say dns "$1" untried ;;
  *) say dns "$1" failed ;;
  esac
}

# Whether a name has an address. 0: yes, 1: no, 2: cannot be tried
resolves() {
  if has getent; then
    getent hosts "$1" >/dev/null 2>&1 || return 1
  elif has_python; then
    python 'import socket, sys; socket.getaddrinfo(sys.argv[1], None)' "$1" >/dev/null 2>&1 || return 1
  elif has nslookup; then
    nslookup "$1" >/dev/null 2>&1 || return 1
  elif has curl; then
    curl -s -o /dev/null --noproxy '*' -m 10 "http://$1:9/" >/dev/null 2>&1
    [ $? -ne 6 ] || return 1
  else
    return 2
  fi
}

# The proxy for an address, without regard to NO_PROXY, which the tools read themselves.
proxy_for() {
  case $1 in
  https:*) printf '%s' "${HTTPS_PROXY:-${https_proxy:-}}" ;;
  *) printf '%s' "${HTTP_PROXY:-${http_proxy:-}}" ;;
  esac
}
no_proxy_list() { printf '%s' "${NO_PROXY:-${no_proxy:-}}"; }

try_scalr() { try_address scalr "$1"; }
try_registry() { try_address registry "$1"; }

try_address() {
  if has curl; then
    with_curl "$1" "$2"
  elif has_python; then
    with_python "$1" "$2"
  elif has wget && wget --version 2>/dev/null | grep -q GNU; then
    with_wget "$1" "$2"
  elif has openssl; then
    with_openssl "$1" "$2"
  else
    say "$1" "$2" untried
  fi
}

with_curl() {
  check=$1 url=$2
  set -- -s -o /dev/null -w '%{http_code} %{http_connect}' --connect-timeout 10 -m 20 --noproxy "$(no_proxy_list)"
  if [ -n "$PROBE_CA" ]; then set -- "$@" --cacert "$PROBE_CA"; fi
  proxy=$(proxy_for "$url")
  if [ -n "$proxy" ]; then set -- "$@" -x "$proxy"; fi
  codes=$(curl "$@" "$url" 2>/dev/null)
  status=$?
  case ${codes#* } in
  [45]??) say "$check" "$url" failed "proxy-${codes#* }" && return ;;
  esac
  case $status in
  0) say "$check" "$url" ok "http-${codes%% *}" ;;
  5) say "$check" "$url" failed proxy-unresolved ;;
  6) say "$check" "$url" failed unresolved ;;
  7) say "$check" "$url" failed refused ;;
  28) say "$check" "$url" failed timeout ;;
  51 | 60) say "$check" "$url" failed untrusted ;;
  77) say "$check" "$url" failed no-ca ;;
  *) say "$check" "$url" failed "curl-$status" ;;
  esac
}

PYTHON_FETCH='
import os, socket, ssl, sys, urllib.error, urllib.request
def word(problem):
    text = str(problem)
    if isinstance(problem, ssl.SSLCertVerificationError): return "untrusted"
    if isinstance(problem, socket.gaierror): return "unresolved"
    if isinstance(problem, ConnectionRefusedError): return "refused"
    if isinstance(problem, (socket.timeout, TimeoutError)): return "timeout"
    if text.startswith("Tunnel connection failed: "): return "proxy-" + text.split()[3]
    return type(problem).__name__
try:
    context = ssl.create_default_context(cafile=os.environ["PROBE_CA"] or None)
except OSError:
    print("failed no-ca"); sys.exit()
try:
    print("ok http-%d" % urllib.request.urlopen(sys.argv[1], timeout=20, context=context).status)
except urllib.error.HTTPError as problem:
    print("ok http-%d" % problem.code)
except urllib.error.URLError as problem:
    print("failed " + word(problem.reason))
except Exception as problem:
    print("failed " + word(problem))
'

with_python() {
  answer=$(python "$PYTHON_FETCH" "$2" 2>/dev/null)
  case $answer in
  ok\ *) say "$1" "$2" ok "${answer#* }" ;;
  *) say "$1" "$2" failed "${answer#* }" ;;
  esac
}

with_wget() {
  check=$1 url=$2 proxy=$(proxy_for "$2")
  set -- -q -O /dev/null --tries=1 --timeout=20
  if [ -n "$PROBE_CA" ]; then set -- "$@" "--ca-certificate=$PROBE_CA"; fi
  https_proxy=$proxy http_proxy=$proxy no_proxy=$(no_proxy_list) wget "$@" "$url" >/dev/null 2>&1
  case $? in
  0 | 8) say "$check" "$url" ok ;;
  4) say "$check" "$url" failed network ;;
  5) say "$check" "$url" failed untrusted ;;
  *) say "$check" "$url" failed wget ;;
  esac
}

# A proxy with a password is beyond old versions of openssl.
with_openssl() {
  rest=${2#*://}
  host=${rest%%/*} proxy=$(proxy_for "$2")
  case $host in *:*) ;; *) host=$host:443 ;; esac
  check=$1 url=$2
  set -- -connect "$host" -servername "${host%:*}" -verify_return_error
  if [ -n "$PROBE_CA" ]; then set -- "$@" -CAfile "$PROBE_CA"; fi
  if [ -n "$proxy" ]; then
    proxy=${proxy#*://}
    case $proxy in *@*) say "$check" "$url" untried && return ;; esac
    set -- "$@" -proxy "${proxy%%/*}"
  fi
  answer=$(openssl s_client "$@" </dev/null 2>&1) && say "$check" "$url" ok && return
  case $answer in
  *verif*) say "$check" "$url" failed untrusted ;;
  *) say "$check" "$url" failed network ;;
  esac
}

# Whether anything answers at an address, port 80, without a proxy. 0: yes, 1: no, 2: cannot be tried
answers() {
  case $1 in *:*) host="[$1]" ;; *) host=$1 ;; esac
  if has curl; then
    curl -s -o /dev/null --noproxy '*' -g -m 4 "http://$host/" >/dev/null 2>&1
    case $? in 0 | 52 | 56) return 0 ;; *) return 1 ;; esac
  elif has_python; then
    python 'import socket, sys; socket.create_connection((sys.argv[1], 80), 4)' "$1" >/dev/null 2>&1 && return 0 || return 1
  elif has wget; then
    http_proxy='' wget -O /dev/null -T 4 "http://$host/" 2>&1 | grep -qi -e 'HTTP' -e 'saved' -e '100%' && return 0 || return 1
  elif has nc; then
    nc -w 4 "$1" 80 </dev/null >/dev/null 2>&1 && return 0 || return 1
  fi
  return 2
}

# Some network plugins apply a policy only a few seconds after the pod has started, so that an open address gets more tries.
try_metadata() {
  for _ in 1 2 3 4 5; do
    answers "$1"
    case $? in
    1) say metadata "$1" ok closed && return ;;
    2) say metadata "$1" untried && return ;;
    esac
    sleep "$PROBE_PAUSE"
  done
  say metadata "$1" failed open
}

each try_write "$PROBE_DIRECTORIES"
each try_name "$PROBE_NAMES"
each try_scalr "$PROBE_URL"
each try_registry "$PROBE_REGISTRIES"
each try_metadata "$PROBE_METADATA"
say end "$PROBE_CONTAINER" ok
