import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'

const contact = {
  email: 'ada@example.com',
  firstName: 'Ada <b>',
  metadata: {
    plan: 'pro',
    none: null,
    seats: 12,
    isTrial: false,
    blank: '  ',
    'two words': 'quoted',
    5: 'five',
    key: 'plan',
    tags: ['new', 'sale'],
    empty: [],
    list: [[1, 2], { a: [{ b: 'deep' }] }],
    size: 'own size',
    first: 'own first',
    odd: { toString: 1, valueOf: 1 },
  },
}

/** Reads of values in outputs, conditions, arguments and loops, and reads of values that do not exist. */
const TEMPLATES = [
  '{{ contact.email }} {{ contact.firstName }} {{ contact.metadata.none }} {{ contact.metadata.none.more }} {{ contact.no.at.all }}',
  '{{ contact.metadata.seats }} {{ contact.metadata.isTrial }} {{ contact.metadata["two words"] }} {{ contact.metadata[5] }}',
  '{{ contact.metadata[contact.metadata.key] }} {{ contact["metadata"].plan }} {{ ["contact"].email }}',
  '{{ contact.metadata.tags }} {{ contact.metadata.tags.size }} {{ contact.metadata.tags.first }} {{ contact.metadata.tags[-1] }}',
  '{{ contact.metadata.tags[9] }} {{ contact.metadata.empty.last }} {{ contact.metadata.size }} {{ contact.metadata.first }}',
  '{{ contact.metadata.list[1].a[0].b }} {{ contact.email.size }} {{ "words".size }} {{ contact.size }} {{ 5 }} {{ "five" }} {{ true }}',
  '{{ contact.constructor }} {{ contact.metadata.__proto__.x }} {{ contact.metadata.tags.length }} {{ contact.email.length }}',
  '{{ empty }} {{ blank }} {{ nil }} {{ nothing }} {{ contact["email"] }} {{ contact[empty] }} {{ contact[nothing] }}',
  '{% if contact.metadata.plan == "pro" and contact.metadata.seats > 10 %}a{% endif %}{% if contact.metadata.none == nil %}b{% endif %}',
  '{% if contact.metadata.empty == empty or contact.no %}c{% endif %}{% if contact.metadata.blank == blank %}d{% endif %}',
  '{% unless contact.metadata.isTrial %}e{% endunless %}{% if contact.metadata.tags contains "new" %}f{% endif %}{% if not contact.no %}g{% endif %}',
  '{% case contact.metadata.plan %}{% when "free" %}h{% when contact.metadata.plan %}i{% endcase %}',
  '{% assign contact = "mine" %}{{ contact }} {{ contact.email }}{% assign n = 3 %}{{ n }} {% increment n %}{{ n }}',
  '{% for contact in contact.metadata.tags %}{{ contact }}{{ forloop.index }}{{ forloop.last }}{% endfor %}{{ contact.email }}',
  '{% for a in (1..contact.metadata.seats) limit: 3 %}{{ a }}{% cycle contact.email, "x" %}{% endfor %}',
  '{% tablerow t in contact.metadata.tags cols: 2 %}{{ t }}{% endtablerow %}{% capture c %}{{ contact.email }}{% endcapture %}{{ c }}',
  '{{ contact.metadata.no | default: contact.email }} {{ contact.metadata.seats | plus: contact.metadata.seats }} {{ contact.firstName | raw }}',
  '{{ contact.metadata.tags | join: contact.metadata.plan | upcase }} {{ contact.metadata.list | where: "a" | size }}',
  '{% assign sorted = contact.metadata.tags | sort %}{{ sorted[0] }} {{ sorted.first }} {{ contact | json | size }}',
]

/** Reads that fail, with the same message. */
const FAILING = [
  '{{ contact[contact.metadata.odd] }}',
  '{{ contact.email }}{{ contact.metadata.odd | append: contact.metadata.odd }}',
]

/** Unmodified LiquidJS, in a thread of its own because another test may have patched it in this one. */
const FRESH_READ = `
const { parentPort, workerData: { templates, variables } } = require('node:worker_threads')
const { Liquid } = require('liquidjs')
const liquid = new Liquid({ ownPropertyOnly: true, strictFilters: true, outputEscape: 'escape' })
parentPort.postMessage(templates.map((template) => {
  try { return liquid.parseAndRenderSync(template, variables) } catch ({ message }) { return message.split('\\n')[0] }
}))`

describe('direct reads of values', () => {
  let renderer: Renderer
  let expected: Record<string, string>
  before(async () => {
    renderer = createRenderer()
    const templates = [...TEMPLATES, ...FAILING]
    const worker = new Worker(FRESH_READ, {
      eval: true,
      workerData: { templates, variables: { contact, event: null } },
    })
    const [texts] = (await once(worker, 'message')) as [string[]]
    expected = Object.fromEntries(templates.map((template, n) => [template, texts[n]!]))
  })
  after(() => renderer.close())

  const render = (html: string) => renderer.render({ subject: 'x', html, text: 'x' }, { contact })

  it('read the same as LiquidJS', async () => {
    const deviations: unknown[] = []
    for (const template of TEMPLATES) {
      const { html } = await render(template)
      if (html !== expected[template]) deviations.push({ template, html, expected: expected[template] })
    }
    assert.deepEqual(deviations, [])
  })

  it('fail like LiquidJS', async () => {
    for (const template of FAILING)
      await assert.rejects(render(template), { message: `html: ${expected[template]}` }, template)
  })
})
