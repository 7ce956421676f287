import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { signedHeaders } from '../../src/platform/webhook-signature.ts'
import { installPython, installPythonClient } from '../support/python.ts'
import { startInstance, type Instance } from '../support/instance.ts'

const run = promisify(execFile)
const MYPY = 'mypy==2.4.1'
const SECRET = `whsec_${randomBytes(32).toString('base64')}`
const OTHER = `whsec_${randomBytes(24).toString('base64')}`

const PROGRAM = `
import json, sys
from dripline import Dripline, DriplineError
dripline = Dripline(sys.argv[1], sys.argv[2])
contact = dripline.contacts.upsert({"email": "ada@example.com", "tags": ["python"]})
dripline.contacts.upsert_many({"contacts": [{"email": f"p{n}@example.com", "tags": ["python"]} for n in range(120)]})
email = {"to": "ada@example.com", "subject": "Your receipt", "text": "Thank you."}
sent = [dripline.emails.send(email, idempotency_key="receipt-1")["id"] for _ in range(2)]
template = dripline.templates.create({"name": "Receipt", "subject": "Thanks", "text": "Thanks"})["id"]
changed = {"name": "Receipt", "subject": "Hi", "text": "Hi"}
errors = []
for attempt in (
    lambda: dripline.contacts.get("none"),
    lambda: dripline.lists.create({"name": ""}),
    lambda: dripline.templates.replace(template, changed, if_match='"99"'),
    lambda: dripline.contacts.delete(""),
):
    try:
        attempt()
    except DriplineError as error:
        errors.append([error.status, error.code, error.param, error.request_id is not None])
    except TypeError as error:
        errors.append(str(error))
print(json.dumps({
    "count": len(list(dripline.contacts.list({"tag": "python"}))),
    "email": dripline.contacts.get("email:" + contact["email"])["email"],
    "isSentOnce": sent[0] == sent[1],
    "errors": errors,
}))
`

/** Verifies each request with the client and with the library of Standard Webhooks. */
const VERIFY = `
import json, sys
from dripline import DriplineError, verify_webhook
from standardwebhooks import Webhook
def outcome(verify):
    try:
        return verify()
    except Exception as error:
        return getattr(error, "code", "rejected")
print(json.dumps([
    [outcome(lambda: verify_webhook(payload, headers, secret)), outcome(lambda: Webhook(secret).verify(payload, headers))]
    for payload, headers, secret in json.loads(sys.argv[1])
]))
`

/** The comments are errors that mypy must find. */
const TYPED = `
from dripline import Dripline, DriplineError, verify_webhook
from dripline.types import Condition, ContactInput, EmailInput

dripline = Dripline("http://localhost:3000/api/v1", "key")
contact: ContactInput = {"email": "ada@example.com", "metadata": {"plan": "pro"}}
email: str = dripline.contacts.get(dripline.contacts.upsert(contact)["id"])["email"]
for event in dripline.events.list({"name": "Order placed", "limit": 10}):
    name: str = event["name"]
for webhook in dripline.webhooks.list():
    url: str = webhook["url"]  # type: ignore[assignment]
condition: Condition = {"all": [{"tag": "vip"}, {"not": {"field": "email", "is": "missing"}}]}
count: int = dripline.segments.count({"condition": condition})["contactCount"]
receipt: EmailInput = {"to": "ada@example.com", "from": "Shop <shop@example.com>", "subject": "Hi", "text": "Hi"}
dripline.emails.send(receipt, idempotency_key="receipt-1")
dripline.campaigns.schedule("id")
payload = verify_webhook(b"{}", {}, "secret")
if payload["type"] == "message.clicked":
    link: str | None = payload["data"]["url"]
try:
    dripline.contacts.delete("id")
except DriplineError as error:
    found: tuple[str, int | None, str | None] = (error.code, error.status, error.request_id)
dripline.contacts.upsert({"email": 5})  # type: ignore[typeddict-item]
dripline.contacts.upsert({"email": "ada@example.com", "color": "red"})  # type: ignore[typeddict-unknown-key]
dripline.contacts.upsert({"firstName": "Ada"})  # type: ignore[typeddict-item]
dripline.contacts.upsert()  # type: ignore[call-arg]
dripline.contacts.get()  # type: ignore[call-arg]
dripline.contacts.list({"color": "red"})  # type: ignore[arg-type]
dripline.contacts.get("id", idempotency_key="x")  # type: ignore[call-arg]
dripline.campaigns.get("id")["color"]  # type: ignore[typeddict-item]
`

describe('the Python client', () => {
  let service: Instance
  let folder: string
  let python: string
  before(async () => {
    service = await startInstance({ worker: false })
    folder = mkdtempSync(join(tmpdir(), 'dripline-python-package-'))
    python = await installPythonClient(folder, `http://127.0.0.1:${service.port}`, 'python-package')
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const execute = async (program: string, ...args: string[]) => {
    const { stdout } = await run(python, ['-c', program, ...args])
    return JSON.parse(stdout) as unknown
  }

  it('calls the API of the instance that it was installed from', async () => {
    assert.deepEqual(await execute(PROGRAM, `http://127.0.0.1:${service.port}/api/v1`, service.key), {
      count: 121,
      email: 'ada@example.com',
      isSentOnce: true,
      errors: [
        [404, 'contact_not_found', null, true],
        [400, 'invalid_request', '/name', true],
        [412, 'revision_conflict', null, true],
        'id must be a string that is not empty',
      ],
    })
  })

  it('verifies webhooks as the library of Standard Webhooks does', async () => {
    const payload = '{"name":"Zoë"}'
    const signed = (at = new Date(), secret = SECRET): Record<string, string> => ({
      'webhook-id': '1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('1', at, payload),
    })
    const good = signed()
    const upperCase = Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), value]))
    const rotated = { ...signedHeaders([OTHER, SECRET], { id: '1', at: new Date(), body: payload }) }
    const accepted = [
      [payload, good, SECRET],
      [payload, good, SECRET.slice('whsec_'.length)],
      [payload, upperCase, SECRET],
      [payload, rotated, SECRET],
      [payload, rotated, OTHER],
    ]
    const tooOld = [305, -305].map((seconds) => [payload, signed(new Date(Date.now() - seconds * 1000)), SECRET])
    const invalid = [
      [`${payload} `, good, SECRET],
      [payload, good, OTHER],
      [payload, { ...good, 'webhook-id': '2' }, SECRET],
      [payload, { ...good, 'webhook-id': '' }, SECRET],
      [payload, { ...good, 'webhook-timestamp': 'now' }, SECRET],
      [payload, { ...good, 'webhook-signature': good['webhook-signature']!.replace('v1,', 'v2,') }, SECRET],
      [payload, { ...good, 'webhook-signature': 'v1,Zoë' }, SECRET],
      [payload, {}, SECRET],
    ]
    const event = JSON.parse(payload) as unknown
    assert.deepEqual(await execute(VERIFY, JSON.stringify([...accepted, ...tooOld, ...invalid])), [
      ...accepted.map(() => [event, event]),
      ...tooOld.map(() => ['webhook_too_old', 'rejected']),
      ...invalid.map(() => ['webhook_signature_invalid', 'rejected']),
    ])
  })

  it('has types that mypy checks', async () => {
    const bin = await installPython(MYPY.replace('==', '-'), [MYPY])
    const program = join(folder, 'main.py')
    writeFileSync(program, TYPED)
    const options = ['--strict', '--cache-dir', join(folder, 'cache'), '--python-executable', python]
    await run(join(bin, 'mypy'), [...options, program]).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout)
    })
    const installed = ['-c', 'import dripline; print(dripline.__path__[0])']
    const { stdout } = await run(python, installed)
    await run(join(bin, 'mypy'), ['--cache-dir', join(folder, 'cache'), stdout.trim()]).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout)
    })
  })
})
