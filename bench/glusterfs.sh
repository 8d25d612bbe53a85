#!/bin/sh
# A GlusterFS volume of 4 bricks on this machine, to measure on: docs/how-to/glusterfs.md.
#   bench/glusterfs.sh up ROOT      bricks, daemons' files and the mount point ROOT/mount are made below ROOT
#   bench/glusterfs.sh down ROOT    unmounts and ends it; ROOT stays
set -eu

usage() { sed -n 's/^#   //p' "$0" >&2; exit 2; }
[ $# -eq 2 ] || usage
mkdir -p "$2"
root=$(cd "$2" && pwd) host=$(hostname) volume=kumihimo
pid=$root/glusterd.pid
ask() { gluster --mode=script "$@"; }
alive() { [ -f "$pid" ] && kill -0 "$(cat "$pid")" 2> /dev/null; }

# Its own daemon: what the system has below /var/lib/glusterd is not touched. It listens on this machine only.
start_daemon() {
    mkdir -p "$root/work"
    cat > "$root/glusterd.vol" << END
volume management
    type mgmt/glusterd
    option working-directory $root/work
    option transport-type socket
    option transport.socket.bind-address 127.0.0.1
    option transport.socket.listen-port 24007
    option max-port 60999
end-volume
END
    glusterd --volfile="$root/glusterd.vol" --pid-file="$pid" --log-file="$root/glusterd.log"
    tries=60
    until ask volume list > /dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { echo "glusterd does not answer: see $root/glusterd.log" >&2; exit 1; }
        sleep 1
    done
}

up() {
    mkdir -p "$root/mount" "$root/brick1" "$root/brick2" "$root/brick3" "$root/brick4"
    alive || start_daemon
    ask volume list 2> /dev/null | grep -qx $volume || # force: the bricks are no file systems of their own
        ask volume create $volume "$host:$root/brick1" "$host:$root/brick2" "$host:$root/brick3" "$host:$root/brick4" force
    ask volume start $volume force
    mountpoint -q "$root/mount" || mount -t glusterfs "$host:/$volume" "$root/mount"
    echo "$root/mount"
}

down() {
    if mountpoint -q "$root/mount"; then umount "$root/mount"; fi
    if alive; then
        ask volume stop $volume force
        kill "$(cat "$pid")"
    fi
}

case $1 in
    up) up ;;
    down) down ;;
    *) usage ;;
esac
