import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startApiProcess, startWorkerProcess, type Process } from '../support/processes.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, EMAIL } from '../support/factories.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

interface Span {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  service: string
  text: string
}

/** An endpoint of an OpenTelemetry collector for traces in JSON (OTLP 1.x, "OTLP/HTTP"). */
async function startCollector() {
  const spans: Span[] = []
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      assert.equal(request.url, '/v1/traces')
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        const service = resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue
        for (const { spans: some } of scopeSpans) {
          for (const span of some) spans.push({ parentSpanId: '', ...span, service, text: JSON.stringify(span) })
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { spans, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('a trace', function () {
  this.timeout(180_000)
  let service: Instance
  let sink: SmtpSink
  let collector: Awaited<ReturnType<typeof startCollector>>
  let api: Process & { baseUrl: string }
  let worker: Process

  before(async () => {
    sink = await startSmtpSink()
    service = await startInstance({ worker: false })
    collector = await startCollector()
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      SMTP_URL: sink.url,
    }
    api = await startApiProcess(service, env)
    worker = startWorkerProcess(service, env)
  })
  after(async () => {
    await api.kill()
    await worker.kill()
    await service.stop()
    await sink.close()
    collector.server.close()
  })

  it('follows a request from the client over HTTP, Temporal and the worker to the mail server, without personal data', async () => {
    const contactId = await aContact(service, { email: 'traced@example.com', firstName: 'Ada' })
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const traceId = 'ab'.repeat(16)
    const answer = await fetch(`${api.baseUrl}/automations/${automationId}/enroll`, {
      method: 'POST',
      headers: {
        'x-api-key': service.key,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${'cd'.repeat(8)}-01`,
        baggage: 'email=traced@example.com',
      },
      body: JSON.stringify({ contactId }),
    })
    assert.equal(answer.status, 202)
    const chain = await eventually(
      'the span of the mail server',
      () => {
        const byId = new Map(collector.spans.map((span) => [span.spanId, span]))
        const last = collector.spans.find(({ name, traceId: id }) => name === 'smtp.deliver' && id === traceId)
        const names: string[] = []
        for (let span = last; span; span = byId.get(span.parentSpanId)) names.unshift(`${span.service} ${span.name}`)
        return names.length === 4 ? names : undefined
      },
      30_000,
    )
    assert.deepEqual(chain, [
      'dripline-api POST /api/v1/automations/:id/enroll',
      'dripline-api StartWorkflow:enrollment',
      'dripline-worker RunActivity:sendEmailAtOnce',
      'dripline-worker smtp.deliver',
    ])
    assert.equal(collector.spans.find(({ name }) => name.startsWith('POST'))?.parentSpanId, 'cd'.repeat(8))
    for (const { text } of collector.spans) assert.doesNotMatch(text, /example\.com|Ada/)

    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    const { events } = await handle.fetchHistory()
    const { header } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {}
    const kept: unknown = JSON.parse(Buffer.from(header?.fields?.['_tracer-data']?.data ?? []).toString())
    assert.deepEqual(Object.keys(kept as object), ['traceparent'])
  })
})
