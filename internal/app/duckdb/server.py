"""Serves one DuckDB by HTTP to who has its key, and ends with its process.

POST / takes {"sql": text, "seconds": limit or 0} and answers lines of JSON: first
{"columns": [names], "types": [names]}, then one list of texts (or nulls) for each row, and
last {"rows": number, "effort": what it took} or {"error": text, "kind": name}. An answer that
ends without the last line is broken. Whoever hangs up interrupts the query.

The effort is that of the process, so it is there only of statements that no other ran beside:
{"cpu": seconds, "read": bytes of files, whether or not the kernel had them}. What came from
a bucket is in no such count. DuckDB's own counter of bytes (total_bytes_read) leaves out what
it reads ahead, nearly all of a table.
"""
import http.server
import hmac
import json
import os
import select
import shutil
import socket
import socketserver
import sys
import threading
import time

config = json.load(open(sys.argv[1]))
sys.path.insert(0, config["packages"])
import duckdb  # noqa: E402, from the packages

# A pattern of files takes no path that has letters like [ in it: all are relative.
os.chdir(config["volume"])
bucket = config.get("bucket")
lake = bucket["lake"] if bucket else "lake"
if not bucket and not os.path.isdir(lake):
    sys.exit("error: there is no directory lake on the volume: it was not initialised")


# What a server that was killed has spilled is of no use.
shutil.rmtree(config["scratch"], ignore_errors=True)
os.makedirs(config["scratch"], 0o700)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def reach(db):
    """Lets a database use the bucket."""
    db.execute("load " + quoted(config["httpfs"]))
    said = {"key_id": "key", "secret": "secret", "region": "region", "endpoint": "endpoint", "url_style": "style"}
    words = ["%s %s" % (name, quoted(bucket[key])) for name, key in said.items()]
    db.execute("create secret lake (type s3, %s, use_ssl %s)" % (", ".join(words), str(bucket["tls"]).lower()))


def tables(db):
    """Names of the tables that there are."""
    if not bucket:
        return sorted(os.listdir(lake))
    try:
        found = db.execute("select distinct split_part(file, '/', -2) from glob(%s) order by 1" % quoted(lake + "/*/*.parquet")).fetchall()
    except duckdb.Error:  # before anything is loaded there is no bucket
        return []
    return [name for name, in found]


def opened():
    db = duckdb.connect(":memory:", config={
        "home_directory": config["scratch"], "extension_directory": config["scratch"],
        "temp_directory": config["scratch"] + "/spill"})
    db.execute("load " + quoted(config["extension"]))
    for name, value in config["settings"].items():
        db.execute("set %s = %s" % (name, quoted(value)))
    allowed = [config["volume"]]
    if bucket:
        reach(db)
        allowed.append(lake + "/")
    db.execute("set allowed_directories = [%s]" % ", ".join(map(quoted, allowed)))
    db.execute("set enable_external_access = false")
    db.execute("set lock_configuration = true")
    for table in tables(db):
        files = quoted(lake + "/" + table + "/*.parquet")
        try:
            db.execute('create view "%s" as from read_parquet(%s)' % (table.replace('"', '""'), files))
        except duckdb.Error as e:
            print("table %s cannot be read: %s" % (table, e), file=sys.stderr)
    return db


try:
    database = opened()
except duckdb.Error as e:
    sys.exit("error: %s" % e)


class Effort:
    """What the process did during a statement, if that had it to itself."""

    lock = threading.Lock()
    active = set()

    def __init__(self):
        with Effort.lock:
            self.shared = bool(Effort.active)
            for other in Effort.active:
                other.shared = True
            Effort.active.add(self)
        self.cpu, self.read = time.process_time(), self.bytes()

    @staticmethod
    def bytes():
        with open("/proc/self/io") as counts:
            return int(next(line for line in counts if line.startswith("rchar:")).split()[1])

    def end(self):
        taken = {"cpu": time.process_time() - self.cpu, "read": 0 if bucket else self.bytes() - self.read}
        with Effort.lock:
            Effort.active.discard(self)
            return None if self.shared else taken


class Watch:
    """Interrupts a query when its time is up or nobody waits for it any more."""

    def __init__(self, cursor, connection, seconds):
        self.cursor, self.connection = cursor, connection
        self.until = time.monotonic() + seconds if seconds > 0 else None
        self.ours, self.other = socket.socketpair()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            rest = None if self.until is None else max(0, self.until - time.monotonic())
            ready, _, _ = select.select([self.connection, self.other], [], [], rest)
            if self.other in ready:
                return
            # The query may not have begun yet: once more until it has ended.
            while not select.select([self.other], [], [], 0.05)[0]:
                self.cursor.interrupt()
            return

    def late(self):
        return self.until is not None and time.monotonic() > self.until

    def end(self):
        self.ours.send(b"x")
        self.thread.join()
        self.ours.close()
        self.other.close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def may(self):
        given = self.headers.get("Authorization", "")
        for key in ("admin", "user"):
            if hmac.compare_digest(given.encode(), ("Bearer " + config[key]).encode()):
                return key
        return ""

    def do_POST(self):
        who = self.may()
        asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not who:
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        asked = json.loads(asked)
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        cursor = database.cursor()
        watch = Watch(cursor, self.connection, asked["seconds"])
        effort = Effort()
        try:
            last = self.answer(cursor, asked["sql"], who)
        except duckdb.InterruptException as e:
            last = {"error": str(e), "kind": "interrupted"}
        except duckdb.Error as e:
            last = {"error": str(e), "kind": type(e).__name__}
        finally:
            late = watch.late()
            taken = effort.end()
            watch.end()
            cursor.close()
        if taken and "rows" in last:
            last["effort"] = taken
        # One that ended by itself before it was interrupted may be late, too.
        if late and last.get("kind", "interrupted") == "interrupted":
            last = {"error": "the time of the query is up", "kind": "timeout"}
        self.line(last)
        self.wfile.write(b"0\r\n\r\n")

    def answer(self, cursor, sql, who):
        if who != "admin" and any(s.type != duckdb.StatementType.SELECT for s in cursor.extract_statements(sql)):
            return {"error": "users may only select", "kind": "PermissionException"}
        cursor.execute(sql)
        columns = cursor.description or []
        self.line({"columns": [c[0] for c in columns], "types": [str(c[1]) for c in columns]})
        rows = 0
        while columns and (some := cursor.fetchmany(1000)):
            rows += len(some)
            self.write("".join(json.dumps([None if v is None else str(v) for v in row]) + "\n" for row in some))
        return {"rows": rows}

    def line(self, value):
        self.write(json.dumps(value) + "\n")

    def write(self, text):
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, address):
        pass  # who asked has gone


host, port = config["listen"].rsplit(":", 1)
try:
    Server((host, int(port)), Handler).serve_forever()
except OSError as e:
    sys.exit("error: listen at %s: %s" % (config["listen"], e))
