import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { campaignIs } from '../support/campaigns.ts'
import { aList } from '../support/factories.ts'
import { readMail } from '../support/read-mail.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const words = (text: string) => ({ type: 'TEXT', paragraphs: [{ style: 'PARAGRAPH', runs: [{ text }] }] })
const DESIGN = {
  theme: { accent: '#2f6b45' },
  blocks: [words('Dear {{ contact.firstName }}'), { type: 'BUTTON', label: 'Order', url: 'https://example.com/box' }],
}

describe('a campaign that is designed of blocks', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

  const create = async (fields: object = {}) => {
    const listId = await aList(service)
    const contacts = Array.from({ length: 30 }, (_, n) => ({ email: `r${n}@example.com`, firstName: 'Ada', listId }))
    await service.call('POST', 'contacts/bulk', { contacts })
    return service.call('POST', 'campaigns', {
      ...{ name: 'Harvest', subject: 'One', audience: { listIds: [listId] }, format: 'BLOCKS', design: DESIGN },
      ...fields,
    })
  }
  const read = async (id: string) =>
    (await service.call('GET', `campaigns/${id}`)).body.data as { format: string; design?: object }

  it('keeps its blocks, and sends what they compile to in each variant', async () => {
    const abTest = { variants: [{ subject: 'Two' }], testPercent: 100, winnerBy: 'CLICKED', afterMinutes: 60 }
    const { status, body } = await create({ abTest })
    assert.equal(status, 201, JSON.stringify(body))
    const { id, format, html, design } = body.data as { id: string; format: string; html: null; design: object }
    assert.deepEqual([format, html, design], ['BLOCKS', null, DESIGN])
    await service.call('POST', `campaigns/${id}/schedule`, {})
    await campaignIs(service, id, 'SENT')
    const mails = sink.mails.map(readMail)
    assert.equal(mails.length, 30)
    assert.deepEqual([...new Set(mails.map(({ headers }) => headers['subject']))].toSorted(), ['One', 'Two'])
    for (const mail of sink.mails) assert.match(mail.body.replaceAll('=\r\n', ''), /Dear Ada[^]*Order/)
  })

  it('replaces them as a whole, like other content', async () => {
    const { body } = await create()
    const { id } = body.data as { id: string }
    const path = `campaigns/${id}`
    const changed = { ...DESIGN, blocks: [words('Hello')] }
    const etag = (await service.call('GET', path)).headers.get('etag')!
    const patch = (change: object, revision: string) =>
      service.call('PATCH', path, change, { headers: { 'If-Match': revision } })
    const second = await patch({ subject: 'Three', format: 'BLOCKS', design: changed }, etag)
    assert.deepEqual((await read(id)).design, changed)
    const third = await patch({ subject: 'Four', html: '<p>Hello</p>' }, second.headers.get('etag')!)
    assert.match(third.headers.get('x-warning')!, /\/design was removed/)
    assert.equal((await read(id)).design, undefined)
    assert.equal((await read(id)).format, 'HTML')
  })

  it('names the block that is wrong', async () => {
    for (const [fields, message] of [
      [{ design: { blocks: [{ type: 'CODE', html: '{% if %}' }] } }, /in block 1: /],
      [
        { design: { blocks: [{ type: 'BUTTON', label: 'Go', url: 'javascript:alert(1)' }] } },
        /blocks\[0\]\.url must start/,
      ],
      [{ html: '<p>Both</p>' }, /html/],
    ] as const) {
      const { status, body } = await create(fields)
      assert.equal(status, 400)
      assert.match((body as unknown as { error: string }).error, message)
    }
  })

  it('warns of a design that a template replaces', async () => {
    const template = await service.call('POST', 'templates', { name: 'T', subject: 'S', html: '<p>S</p>' })
    const { headers } = await create({ templateId: (template.body.data as { id: string }).id, subject: undefined })
    assert.match(headers.get('x-warning')!, /\/design is not sent/)
  })

  it('can be duplicated', async () => {
    const { body } = await create()
    const copy = await service.call('POST', `campaigns/${(body.data as { id: string }).id}/duplicate`)
    assert.deepEqual((copy.body.data as { design: object }).design, DESIGN)
  })
})
