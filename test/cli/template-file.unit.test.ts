import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  extensionOf,
  formatTemplate,
  parseTemplate,
  slugOf,
  type TemplateFile,
} from '../../packages/cli/src/templates/template-file.ts'
import { variablesIn } from '../../packages/cli/src/variables.ts'

/** Texts that could be mistaken for JSON, front matter or its end, among others. */
const aText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom(
    '---',
    '\n---\n',
    'a: b',
    '"',
    'null',
    'true',
    '12',
    '{}',
    ' padded ',
    '{{ contact.firstName }}',
    '\u2028',
    '\uFEFFx',
  ),
)
/** Line ends are normalized: a template with CR LF becomes one with LF. */
const aLine = aText.map((text) => text.replaceAll('\r', '') || 'x')
const aTemplate: fc.Arbitrary<TemplateFile> = fc
  .record({
    name: aLine,
    kind: fc.constantFrom('EMAIL' as const, 'LAYOUT' as const, 'PARTIAL' as const),
    format: fc.constantFrom('HTML' as const, 'MJML' as const, 'BLOCKS' as const),
    others: fc.record({ subject: aLine, previewText: aLine, text: aLine, layout: aLine }, { requiredKeys: [] }),
    html: aLine,
  })
  .map(({ others, html, ...template }) => {
    if (template.format === 'BLOCKS') return { ...template, ...others, design: { blocks: [] } }
    const isText = template.format === 'HTML' && others.text !== undefined
    return { ...template, ...others, ...(!isText && { html }) }
  })

describe('a file of a template', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(aTemplate, (template) => {
        assert.deepEqual(parseTemplate(`x${extensionOf(template)}`, formatTemplate(template)), template)
      }),
      { seed: 42, numRuns: 1_000 },
    )
  })

  it('has a name that is not a path', () => {
    for (const [name, slug] of [
      ['../../etc/passwd', 'etc-passwd'],
      ['Größe & Maß', 'gro-e-ma'],
      ['..', 'template'],
      ['明日', 'template'],
    ])
      assert.equal(slugOf(name!), slug)
  })
})

describe('the variables of a template', () => {
  it('are those in Liquid, without those in texts', () => {
    const content = {
      subject: 'Hi {{ contact.firstName | default: "contact.lastName" }}',
      html: `{% if event.data.total > 5 %}{{event.data.order-id}}{% endif %} contact.email {{ my.contact.x }} {{ data.total }}`,
      translations: [{ subject: '{{ contact.metadata.plan }}' }],
    }
    assert.deepEqual(variablesIn(content), [
      'contact.firstName',
      'contact.metadata.plan',
      'data.total',
      'event.data.order-id',
      'event.data.total',
    ])
  })
})
