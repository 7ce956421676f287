// cspell:ignore naem
import assert from 'node:assert/strict'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

describe('variables that are missing', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const aTemplate = async (content: object): Promise<string> =>
    (await service.call('POST', 'templates', { name: 'Receipt', subject: 'Receipt', ...content })).body.data
      .id as string

  const RECEIPT = {
    subject: 'Receipt {{ data.number }}',
    html:
      '<p>Dear {{ data.name | default: "customer" }}</p>{% for item in data.items %}<p>{{ item.title }}</p>{% endfor %}' +
      '{% if data.coupon %}<p>{{ data.coupon }}</p>{% endif %}<p>{{ data.order.total }}</p>',
  }
  const COMPLETE = { number: 17, items: [{ title: 'Pears' }], order: { total: '49.00' } }

  describe('in a transactional email', () => {
    let templateId: string
    before(async () => {
      templateId = await aTemplate(RECEIPT)
    })
    const send = (data: object | undefined, of = templateId) =>
      service.call('POST', 'emails', { to: 'ada@example.com', templateId: of, data })

    it('are known to the template', async () => {
      const { body } = await service.call('GET', `templates/${templateId}`)
      assert.deepEqual(
        (body.data.variables as { name: string; isRequired: boolean }[])
          .map(({ name, isRequired }) => `${name} ${isRequired}`)
          .toSorted(),
        ['data.coupon false', 'data.items true', 'data.name false', 'data.number true', 'data.order.total true'],
      )
    })

    it('are rejected with their names', () => {
      const rows: Record<string, [data: object | undefined, error: string, param: string]> = {
        'one that is missing': [
          { ...COMPLETE, number: undefined },
          'data.number is missing. The template uses it without a default. Send it, or add a default to the template, such as {{ data.number | default: "" }}',
          '/data/number',
        ],
        'one that is null': [
          { ...COMPLETE, order: { total: null } },
          'data.order.total is missing. The template uses it without a default. Send it, or add a default to the template, such as {{ data.order.total | default: "" }}',
          '/data/order/total',
        ],
        'an object that is missing': [
          { ...COMPLETE, order: 'A-17' },
          'data.order.total is missing. The template uses it without a default. Send it, or add a default to the template, such as {{ data.order.total | default: "" }}',
          '/data/order/total',
        ],
        'no data': [
          undefined,
          'data.number, data.items, data.order.total are missing. The template uses them without a default. Send them, or add a default to the template, such as {{ data.number | default: "" }}',
          '/data/number',
        ],
      }
      return checkRows(rows, async ([data, error, param]) => {
        const { refused, body, headers } = await send(data)
        assert.deepEqual([refused, body.error, headers.get('x-error-param')], ['400 variable_missing', error, param])
      })
    })

    it('may be empty, and others may be left out', async () => {
      const { status, headers } = await send({ ...COMPLETE, number: '' })
      assert.deepEqual([status, headers.get('x-warning')], [202, null])
    })

    it('are warned of if the template does not use them', async () => {
      const { status, headers } = await send({ ...COMPLETE, naem: 'Ada', größe: 1 })
      assert.deepEqual(
        [status, headers.get('x-warning')],
        [202, '/data/naem is not used by the template; /data/gr%C3%B6%C3%9Fe is not used by the template'],
      )
    })

    it('fail only their item of a batch', async () => {
      const to = 'ada@example.com'
      const emails = [
        { to, templateId, data: {} },
        { to, templateId, data: { ...COMPLETE, x: 1 } },
        { to, templateId },
      ]
      const { body, headers } = await service.call('POST', 'emails/batch', { emails })
      assert.deepEqual(
        (body.data.errors as { index: number }[]).map(({ index }) => index),
        [0, 2],
      )
      assert.equal(headers.get('x-warning'), '/emails/1/data/x is not used by the template')
    })

    it('are those of all translations', async () => {
      const translated = await aTemplate({
        text: 'Hello',
        translations: [{ locale: 'de', text: 'Hallo {{ data.name }}' }],
      })
      assert.equal((await send({}, translated)).refused, '400 variable_missing')
    })

    it('are not looked for if the template prints all of the data', async () => {
      const whole = await aTemplate({ text: '{{ data | json }}' })
      assert.deepEqual((await send({ anything: 1 }, whole)).headers.get('x-warning'), null)
    })

    it('cannot be given if they are not data', async () => {
      const ofEvent = await aTemplate({ text: '{{ event.data.plan }}' })
      const { refused, body, headers } = await send(undefined, ofEvent)
      assert.deepEqual([refused, headers.get('x-error-param')], ['400 variable_missing', '/templateId'])
      assert.match(
        body.error,
        /^The template of templateId: {{ event\.data\.plan }} would be empty in every email, because only automations with the trigger EVENT have an event\./,
      )
    })
  })

  describe('in an automation', () => {
    const automation = (text: string, change: object = {}) => ({
      name: 'Welcome',
      trigger: 'SIGNUP',
      steps: [
        { type: 'WAIT', delayMinutes: 1 },
        { type: 'EMAIL', subject: 'Hi', text },
      ],
      ...change,
    })
    const ONE_EVENT = { trigger: 'EVENT', triggerConfig: { eventName: 'trial started' } }

    it('keep it from going live', () => {
      const rows: Record<string, [text: string, change: object, error: RegExp | undefined]> = {
        'a misspelled one': [
          '{{ contact.firstname }}',
          {},
          /^steps\[1\]: {{ contact\.firstname }} would be empty in every email, because it is not a known variable; did you mean contact\.firstName\? Remove it, or give it a default: /,
        ],
        'the event of another trigger': [
          '{{ event.data.plan }}',
          {},
          /because only automations with the trigger EVENT have an event\./,
        ],
        'the event': ['{{ event.data.plan }}', ONE_EVENT, undefined],
        'data of transactional emails': [
          '{{ data.total }}',
          ONE_EVENT,
          /because only transactional emails have data\./,
        ],
        'a default': ['{{ data.total | default: 0 }}', {}, undefined],
        'an attribute': ['{{ contact.metadata.plan }}', {}, undefined],
      }
      return checkRows(rows, async ([text, change, error]) => {
        const drafted = await service.call('POST', 'automations', automation(text, change))
        assert.equal(drafted.status, 201)
        const path = `automations/${drafted.body.data.id}`
        const { steps } = automation(text)
        const attempts = [
          await service.call('POST', 'automations', automation(text, { ...change, status: 'ACTIVE' })),
          await service.call('POST', `${path}/publish`, { steps, status: 'ACTIVE' }),
          await service.call('PATCH', path, { status: 'ACTIVE' }),
          await service.call('PUT', `${path}/steps`, { steps }),
        ]
        // It is still a draft for the last request, which may have anything.
        const expected = error
          ? ['400 variable_missing', '400 variable_missing', '400 variable_missing', undefined]
          : []
        assert.deepEqual(
          attempts.map(({ status, refused }) => (status < 300 ? undefined : refused)),
          error ? expected : [undefined, undefined, undefined, undefined],
        )
        if (error) assert.match(attempts[0]!.body.error, error)
      })
    })

    it('do not get into one that is live', async () => {
      const live = await service.call('POST', 'automations', automation('Hello', { status: 'ACTIVE' }))
      const path = `automations/${live.body.data.id}`
      const steps = [{ type: 'EMAIL', subject: '{{ event.name }}', text: 'x' }]
      assert.equal((await service.call('PUT', `${path}/steps`, { steps })).refused, '400 variable_missing')
      assert.equal((await service.call('PATCH', path, { name: 'Other' })).status, 200)
    })
  })

  it('keep a campaign from being sent', async () => {
    const listId = (await service.call('POST', 'lists', { name: 'All' })).body.data.id as string
    await service.call('POST', 'contacts', { email: 'reader@example.com', listId })
    const templateId = await aTemplate({
      text: 'Hello',
      translations: [{ locale: 'de', text: 'Hallo {{ contact.nmae }}' }],
    })
    const audience = { listIds: [listId] }
    const campaign = await service.call('POST', 'campaigns', { name: 'News', templateId, audience })
    const { refused, body } = await service.call('POST', `campaigns/${campaign.body.data.id}/schedule`)
    assert.equal(refused, '400 variable_missing')
    assert.match(
      body.error,
      /^The campaign \(de\): {{ contact\.nmae }} would be empty in every email, because it is not a known variable/,
    )
  })
})
