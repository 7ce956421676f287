import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { aContact, aList, anAutomation, enroll, sentTo } from '../support/factories.ts'
import { readMail } from '../support/read-mail.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const words = (text: string) => ({ type: 'TEXT', paragraphs: [{ style: 'PARAGRAPH', runs: [{ text }] }] })
const DESIGN = {
  theme: { accent: '#2f6b45' },
  blocks: [words('Dear {{ contact.firstName }}'), { type: 'BUTTON', label: 'Order', url: 'https://example.com/box' }],
}
const STEP = { type: 'EMAIL', subject: 'Hello', previewText: 'Two minutes', design: DESIGN }

interface Step {
  id: string
  html: string | null
  text: string | null
  previewText: string | null
  design?: object
}

describe('an email step that is designed of blocks', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  const stepsOf = async (id: string) => (await service.call('GET', `automations/${id}`)).body.data.steps as Step[]

  it('keeps its blocks, and sends what they compile to', async () => {
    const id = await anAutomation(service, {
      steps: [
        { ...STEP, html: 'ignored' },
        {
          type: 'SPLIT',
          branches: [
            { name: 'A', weight: 1, steps: [STEP] },
            { name: 'B', weight: 1, steps: [STEP] },
          ],
        },
      ],
    })
    const [first] = await stepsOf(id)
    assert.deepEqual([first!.design, first!.previewText, first!.text, first!.html], [DESIGN, 'Two minutes', null, null])
    const contactId = await aContact(service, { firstName: 'Ada' })
    await enroll(service, id, contactId)
    await sentTo(service, contactId)
    const mail = readMail(sink.mails[0]!)
    assert.equal(mail.headers['subject'], 'Hello')
    assert.match(sink.mails[0]!.body.replaceAll('=\r\n', ''), /Dear Ada[^]*Two minutes[^]*Dear Ada[^]*Order/)
  })

  it('stays the same when what was read is written again', async () => {
    const id = await anAutomation(service, { steps: [STEP] })
    const before = await stepsOf(id)
    assert.deepEqual(before[0]!.design, DESIGN)
    const { status, body } = await service.call(
      'PUT',
      `automations/${id}/steps`,
      { steps: before },
      {
        headers: { 'If-Match': (await service.call('GET', `automations/${id}`)).headers.get('etag')! },
      },
    )
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(await stepsOf(id), before)
  })

  it('becomes an email of code without its design', async () => {
    const id = await anAutomation(service, { steps: [STEP] })
    const [{ id: stepId }] = (await stepsOf(id)) as [Step]
    const etag = (await service.call('GET', `automations/${id}`)).headers.get('etag')!
    const steps = [{ id: stepId, type: 'EMAIL', subject: 'Hello', html: '<p>Hi</p>' }]
    await service.call('PUT', `automations/${id}/steps`, { steps }, { headers: { 'If-Match': etag } })
    const [{ design, html, previewText }] = (await stepsOf(id)) as [Step]
    assert.deepEqual([design, html, previewText], [undefined, '<p>Hi</p>', null])
  })

  const refused: Record<string, { step: object; code: string; param: string }> = {
    'a variable that is not valid Liquid': {
      step: { ...STEP, design: { ...DESIGN, blocks: [words('{{ contact.firstName')] } },
      code: '400 invalid_template',
      param: '/steps/0/design',
    },
    'a design without blocks': {
      step: { ...STEP, design: { blocks: [] } },
      code: '400 automation_never_acts',
      param: '/steps/0',
    },
    'a preview text without a design': {
      step: { type: 'EMAIL', subject: 'Hello', text: 'Hi', previewText: 'Two minutes' },
      code: '400 invalid_request',
      param: '/steps/0/previewText',
    },
  }
  it('needs the link of a confirmation in the design, not in html that is not sent', async () => {
    const listId = await aList(service)
    const step = { ...STEP, category: 'transactional', html: '<a href="{{ confirmUrl }}">Confirm</a>' }
    const fields = { name: 'Confirm', trigger: 'LIST_REQUESTED', triggerConfig: { listId }, status: 'ACTIVE' }
    const { refused: given } = await service.call('POST', 'automations', { ...fields, steps: [step] })
    assert.equal(given, '400 automation_never_acts')
    const button = { type: 'BUTTON', label: 'Confirm', url: '{{ confirmUrl }}' }
    const steps = [{ ...step, html: null, design: { blocks: [button] } }]
    assert.equal((await service.call('POST', 'automations', { ...fields, steps })).status, 201)
  })

  for (const [what, { step, code, param }] of Object.entries(refused))
    it(`refuses ${what}, and names the field`, async () => {
      const fields = { name: 'Welcome', trigger: 'SIGNUP', status: 'ACTIVE', steps: [step] }
      const { refused: given, headers } = await service.call('POST', 'automations', fields)
      assert.deepEqual([given, headers.get('x-error-param')], [code, param])
    })
})
