"""An S3 server (moto) with a bucket, at a free port of loopback: Checks/clients/bucket.py BUCKET

Prints a line of JSON with the address and the keys of a user, then does what each line of its input says, `[action, argument…]`, and prints
the answer. After `["trust", N]`, N requests are answered without a look at who asks. Bytes come as texts of Latin-1.
"""
import json
import os
import sys
import threading
import urllib.request

os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "false"
import boto3  # noqa: E402
import botocore.config  # noqa: E402
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

bucket = sys.argv[1]
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"


def client(service, id="admin", secret="admin"):
    return boto3.client(
        service, endpoint_url=address, region_name="eu-west-1", aws_access_key_id=id, aws_secret_access_key=secret,
        config=botocore.config.Config(s3={"addressing_style": "path"}))


def trust(requests):
    data, kind = str(requests).encode(), {"Content-Type": "text/plain"}
    urllib.request.urlopen(urllib.request.Request(f"{address}/moto-api/reset-auth", data=data, headers=kind))


def listing(s3):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    return [[item["Key"], item["Size"], item["LastModified"].isoformat(), item["ETag"]] for page in pages for item in page.get("Contents", [])]


iam = client("iam")
iam.create_user(UserName="reader")
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="reader")["AccessKey"]
client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
trust(0)
s3 = client("s3", key["AccessKeyId"], key["SecretAccessKey"])
print(json.dumps({"address": address, "id": key["AccessKeyId"], "secret": key["SecretAccessKey"]}), flush=True)
actions = {
    "trust": trust,
    "put": lambda name, data: s3.put_object(Bucket=bucket, Key=name, Body=data.encode("latin-1")) and None,
    "delete": lambda name: s3.delete_object(Bucket=bucket, Key=name) and None,
    "list": lambda: listing(s3),
    "sign": lambda name: s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": name}),
}
for line in sys.stdin:
    method, *arguments = json.loads(line)
    print(json.dumps(actions[method](*arguments)), flush=True)
