import fc from 'fast-check'
import type { WorkspaceFolder } from './workspace-folder.ts'

type Json = Record<string, unknown>

/** Texts that YAML, Windows or paths could change. */
const aName = fc.oneof(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .filter((text) => /\S/.test(text) && !text.includes('\0')),
  fc.constantFrom(
    'Newsletter',
    'yes',
    '2027-01-01',
    '0x10',
    '~',
    '- a',
    'a: b',
    '#1',
    '../up',
    'new:lists/a',
    'null',
    ' padded ',
    '*',
    '{}',
  ),
)
const aText = fc.oneof(
  fc.constantFrom(
    'Hi',
    'a\r\nb',
    'a\n\n',
    '  indented\n  twice',
    '\ttab',
    '---\na: b',
    '',
    '\uFEFFx',
    '<p>Hi</p>\n',
    '${env:HOME}',
  ),
  fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => text.replaceAll(/[\0{}]/g, '')),
)
const aSubject = fc.constantFrom('Hi', 'Re: 2027', "{{ contact.firstName | default: 'you' }}", '#1', 'yes')
const aValue = fc.oneof(fc.constantFrom('pro', 'true', '2027'), fc.integer(), fc.boolean())
const anIndex = fc.nat(20)

/** A reference to the resource at an index, which is replaced by its ID. */
const refer = (to: string) => anIndex.map((index) => ({ $: to, index }))

const aPart = fc.oneof(
  fc.record({ metadata: aName, is: fc.constant('equal'), value: aValue }),
  fc.record({ tag: aName }),
  fc.record({ list: refer('lists') }),
  fc.record({ segment: refer('segments') }),
  fc.record({ activity: fc.constant('OPENED'), automation: refer('automations') }),
  fc.record({
    activity: fc.constant('SENT'),
    campaign: refer('campaigns'),
    withinDays: fc.integer({ min: 1, max: 90 }),
  }),
  fc.record({ message: refer('messages'), is: fc.constantFrom('opened', 'clicked') }),
  fc.record({
    event: aName,
    atLeast: fc.integer({ min: 1, max: 5 }),
    where: fc.record({ eventData: fc.constant('total'), is: fc.constant('more'), value: fc.integer() }),
  }),
)
const aCondition = fc.oneof(
  aPart,
  fc.record({ all: fc.array(aPart, { maxLength: 3 }) }),
  fc.record({ any: fc.array(fc.oneof(aPart, fc.record({ not: aPart })), { maxLength: 3 }) }),
)

const DESIGN = { blocks: [{ type: 'TEXT', paragraphs: [{ style: 'HEADING', runs: [{ text: 'Hello' }] }] }] }

const { steps: someSteps } = fc.letrec<{ steps: Json[]; step: Json }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 3 }),
  step: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('EMAIL'),
        templateId: refer('emails'),
        category: fc.constantFrom('marketing', 'transactional'),
      }),
    },
    fc.record({ type: fc.constant('EMAIL'), subject: aSubject, html: aText, text: fc.option(aText) }),
    fc.record({
      type: fc.constant('EMAIL'),
      subject: aSubject,
      design: fc.constant(DESIGN),
      previewText: fc.option(aText),
    }),
    fc.record({ type: fc.constant('WAIT'), delayMinutes: fc.integer({ min: 1, max: 5_000 }) }),
    fc.record({
      type: fc.constant('WAIT_UNTIL'),
      until: fc.constantFrom({ timeOfDay: '09:00' }, { field: 'contact.metadata.renewal', offsetMinutes: -60 }),
      timezone: fc.constantFrom('contact', 'Europe/Berlin'),
    }),
    fc.record({
      type: fc.constant('UPDATE_CONTACT'),
      set: fc.record({ metadata: fc.dictionary(aName, fc.option(aValue), { maxKeys: 3, noNullPrototype: true }) }),
      addTags: fc.array(aName, { maxLength: 2 }),
      addToLists: fc.array(refer('lists'), { maxLength: 2 }),
    }),
    fc.record({
      type: fc.constant('WEBHOOK'),
      url: fc.constant('https://example.com/hooks'),
      headers: fc.constantFrom({}, { 'X-Source': 'dripline' }, { Authorization: 'Bearer s3cret', 'X-Source': 'a' }),
      body: fc.jsonValue({ maxDepth: 3 }).filter((value) => !/\\u0000|[{][{%]/.test(JSON.stringify(value))),
      saveAs: fc.constantFrom(null, 'account'),
    }),
    fc.record({ type: fc.constant('EXIT') }),
    fc.record({
      type: fc.constant('CONDITION'),
      branches: fc.array(fc.record({ name: aName, if: aCondition, steps: tie('steps') }), {
        minLength: 1,
        maxLength: 2,
      }),
      else: tie('steps'),
    }),
    fc.record({
      type: fc.constant('SPLIT'),
      branches: fc.constant([
        { name: 'A', weight: 1 },
        { name: 'B', weight: 2 },
      ]),
    }),
    fc.record({
      type: fc.constant('WAIT_FOR_EVENT'),
      eventName: aName,
      timeoutMinutes: fc.constant(60),
      received: tie('steps'),
    }),
  ),
}))

const aTemplate = fc.oneof(
  fc.record({ name: aName, kind: fc.constant('EMAIL'), subject: aSubject, html: aText.map((text) => `x${text}`) }),
  fc.record({ name: aName, subject: aSubject, format: fc.constant('BLOCKS'), design: fc.constant(DESIGN) }),
  fc.record({
    name: aName,
    subject: aSubject,
    previewText: aText,
    text: fc.constant('Hi\nyou'),
    translations: fc.uniqueArray(
      fc.record({ locale: fc.constantFrom('de', 'pt-BR', 'fr'), subject: aSubject, html: fc.option(aText) }),
      { selector: ({ locale }) => locale, maxLength: 3 },
    ),
  }),
  fc.record({
    name: aName,
    subject: aSubject,
    format: fc.constant('MJML'),
    html: fc.constant(
      '<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>',
    ),
  }),
  fc.record({ name: aName, kind: fc.constant('LAYOUT'), html: fc.constant('<main>{{ content }}</main>') }),
  fc.record({ name: aName.map((name) => `s ${name}`), kind: fc.constant('PARTIAL'), html: aText }),
)

const anAutomation = fc
  .record({
    trigger: fc.constantFrom(
      { trigger: 'SIGNUP' },
      { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'vip' } },
      { trigger: 'LIST_ADDED', triggerConfig: { listId: { $: 'lists', index: 1 } } },
      { trigger: 'SEGMENT_ENTERED', triggerConfig: { segmentId: { $: 'segments', index: 0 } } },
      { trigger: 'DATE', triggerConfig: { field: 'contact.metadata.birthday', repeat: 'YEARLY', offsetDays: -1 } },
    ),
    others: fc.record(
      {
        description: aText,
        entry: fc.record(
          { filter: aCondition, reentry: fc.constantFrom('ONCE', 'ALWAYS', { afterMinutes: 60 }) },
          { requiredKeys: [] },
        ),
        exitOn: fc.array(
          fc.oneof(
            fc.constant({ event: 'unsubscribed' }),
            fc.record({ eventName: aName }),
            fc.record({ condition: aCondition }),
          ),
          { maxLength: 2 },
        ),
        goal: fc.record({ condition: aCondition }),
        onSendFailure: fc.constantFrom('CONTINUE', 'STOP'),
      },
      { requiredKeys: [] },
    ),
    name: aName,
    steps: someSteps,
  })
  .map(({ trigger, others, name, steps }) => ({ name, ...trigger, ...others, steps }))

/** The resources of a workspace, with references by index, and those that are deleted at the end. */
export const aWorkspace = fc.record({
  lists: fc.array(fc.record({ name: aName, description: fc.option(aText), public: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  segments: fc.array(fc.record({ name: aName, condition: aCondition }), { maxLength: 4 }),
  campaigns: fc.array(fc.record({ name: aName, subject: aSubject, text: fc.constant('Hi') }), { maxLength: 2 }),
  templates: fc.array(aTemplate, { maxLength: 4 }),
  automations: fc.array(anAutomation, { maxLength: 4 }),
  webhooks: fc.array(
    fc.record({
      url: fc.constantFrom(null, 'https://example.com/a'),
      events: fc.constantFrom(['*'], ['contact.created']),
      description: fc.option(aName),
    }),
    { maxLength: 2 },
  ),
  sender: fc.record({ fromName: fc.constantFrom('Orchard', null), trackClicks: fc.boolean() }),
  deleted: fc.array(fc.record({ of: fc.constantFrom('lists', 'templates'), index: anIndex }), { maxLength: 2 }),
  hasNamesakes: fc.boolean(),
  newVersions: fc.array(anIndex, { maxLength: 2 }),
})
export type GeneratedWorkspace = typeof aWorkspace extends fc.Arbitrary<infer Value> ? Value : never

/** Creates the resources. Those that the API rejects are left out, such as a segment that refers to itself. */
export async function create(given: GeneratedWorkspace, folder: WorkspaceFolder): Promise<void> {
  const ids: Record<string, string[]> = {
    lists: [],
    segments: [],
    emails: [],
    automations: [],
    campaigns: [],
    messages: [],
  }
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $: to, index } = value as { $?: string; index?: number }
    if (to !== undefined) return ids[to]![index! % ids[to]!.length]
    const refersToNothing = Object.values(value as Json).some(
      (part) => typeof part === 'object' && part !== null && '$' in part && ids[part.$ as string]!.length === 0,
    )
    if (refersToNothing) return { tag: 'none' }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part)]))
  }
  let count = 0
  const post = async (path: string, { name, ...body }: Json, kind = path) => {
    const unique = name === undefined ? {} : { name: given.hasNamesakes ? name : `${name as string} ${(count += 1)}` }
    const { body: answer, refused } = await folder.call('POST', path, { ...unique, ...(resolve(body) as Json) })
    if (refused === undefined) ids[kind]?.push(answer.data.id as string)
    return answer.data as Json | undefined
  }
  for (const list of given.lists) await post('lists', list)
  for (const campaign of given.campaigns) await post('campaigns', campaign)
  ids['messages']!.push(...ids['campaigns']!)
  await post('templates', { name: 'First', subject: 'Hi', text: 'Hi' }, 'emails')
  for (const template of given.templates) {
    const kind = (template as Json)['kind'] ?? 'EMAIL'
    await post('templates', template, kind === 'EMAIL' ? 'emails' : 'others')
  }
  // Some segments refer to automations, and some automations to segments.
  const [first, ...others] = given.segments
  await post('segments', first ?? { name: 'All', condition: { all: [] } })
  for (const automation of given.automations) {
    const created = await post('automations', automation)
    const steps = (created?.['steps'] ?? []) as { id: string; type: string }[]
    ids['messages']!.push(...steps.filter(({ type }) => type === 'EMAIL').map(({ id }) => id))
  }
  for (const segment of others) await post('segments', segment)
  for (const webhook of given.webhooks) await post('webhooks', webhook)
  await folder.call('PUT', 'sender', given.sender)
  for (const index of given.newVersions) {
    const id = ids['emails']![index % ids['emails']!.length]
    if (id !== undefined)
      await folder.call('PUT', `templates/${id}`, { name: `New version of ${id}`, subject: 'New', text: 'New' })
  }
  for (const { of, index } of given.deleted) {
    const all = ids[of === 'lists' ? 'lists' : 'emails']!
    if (all.length > 0) await folder.call('DELETE', `${of}/${all[index % all.length]}`)
  }
}
