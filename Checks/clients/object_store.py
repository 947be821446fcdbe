"""A server of S3 (moto) on a free port, whose address is the first line of output, and its client (boto3).

Each line of input is a call: service, keys, method and arguments, in which texts under "Body" are bytes in base64. Each further line of output
is its answer.
"""
import base64
import json
import sys
import threading

import boto3
import botocore.config
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
print(address, flush=True)
clients = {}
for line in sys.stdin:
    service, keys, method, arguments = json.loads(line)
    if "Body" in arguments:
        arguments["Body"] = base64.b64decode(arguments["Body"])
    if (service, *keys) not in clients:
        clients[service, *keys] = boto3.client(
            service, endpoint_url=address, region_name="eu-west-1", aws_access_key_id=keys[0], aws_secret_access_key=keys[1],
            config=botocore.config.Config(s3={"addressing_style": "path"}))
    answer = getattr(clients[service, *keys], method)(**arguments)
    print(json.dumps(answer, default=lambda value: value.isoformat() if hasattr(value, "isoformat") else str(value)), flush=True)
