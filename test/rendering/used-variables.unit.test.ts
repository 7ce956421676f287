import assert from 'node:assert/strict'
import { Liquid } from 'liquidjs'
import { findUsedVariables } from '../../src/rendering/used-variables.ts'
import { checkRows } from '../support/table.ts'

/** Templates, and the variables that they use: `!` marks a required one. */
const TEMPLATES: Record<string, [template: string, variables: string]> = {
  'an output': ['{{ data.total }}', '!data.total'],
  'a default': ['{{ data.total | default: 0 }}', 'data.total'],
  'another filter': ['{{ data.total | upcase }}', '!data.total'],
  'a default after another filter': ['{{ data.total | upcase | default: 0 }}', 'data.total'],
  'a variable as the default': ['{{ data.nick | default: data.name }}', 'data.nick, data.name'],
  'an argument of a filter': ['{{ "x" | append: data.y }}', '!data.y'],
  'a named argument': ['{{ "x" | default: data.y, allow_false: data.z }}', 'data.y, data.z'],
  'the same twice': ['{{ data.a | default: 1 }}{{ data.a }}', '!data.a'],
  'a condition': ['{% if data.code %}{{ data.code }}{% endif %}', 'data.code'],
  'within a condition about something else': ['{% if data.vip %}{{ data.code }}{% endif %}', 'data.vip, data.code'],
  'elsif and else': ['{% if a %}{% elsif data.b %}{% else %}{{ data.c }}{% endif %}', 'a, data.b, data.c'],
  unless: ['{% unless data.a %}{{ data.b }}{% endunless %}', 'data.a, data.b'],
  case: ['{% case data.a %}{% when data.b %}{{ data.c }}{% endcase %}', 'data.a, data.b, data.c'],
  'before and within a condition': ['{{ data.a }}{% if data.a %}{{ data.a }}{% endif %}', '!data.a'],
  'a loop': ['{% for item in data.items %}{{ item.name }} {{ forloop.index }}{% endfor %}', '!data.items'],
  'a range': ['{% for n in (1..data.n) %}{{ n }}{% endfor %}', '!data.n'],
  'a table': ['{% tablerow r in data.rows %}{{ r }}{% endtablerow %}', '!data.rows'],
  assign: ['{% assign x = data.a | default: 1 %}{{ x }}{% assign y = data.b %}{{ y }}', 'data.a, data.b'],
  'a default of an assigned variable': ['{% assign x = data.a %}{{ x | default: "friend" }}', 'data.a'],
  capture: ['{% capture x %}{{ data.a }}{% endcapture %}{% if data.b %}{{ x }}{% endif %}', 'data.a, data.b'],
  'within a loop': [
    '{% for i in data.items %}{{ data.a }}{% else %}{{ data.b }}{% endfor %}',
    '!data.items, data.a, data.b',
  ],
  'a nested path': ['{{ data.order.address.city }}', '!data.order.address.city'],
  'an index': ['{{ data.items[0].name }}', '!data.items'],
  'a property that Liquid adds': ['{{ data.items.size }} {{ data.names.first }}', '!data.items, !data.names'],
  'a key in brackets': ['{{ data["order id"] }}', '!data.order id'],
  'a key with a dot': ['{{ data["a.b"] }}', '!data'],
  'a computed key': ['{{ data[contact.email] }}', '!data, !contact.email'],
  'a text': ['{{ "data.a" }}{{ "x".size }}', ''],
  echo: ['{% echo data.a %}', '!data.a'],
  'the liquid tag': ['{% liquid\n if data.a\n echo data.b\n endif\n echo data.c %}', 'data.a, data.b, !data.c'],
  'raw and comments': ['{% raw %}{{ data.a }}{% endraw %}{% comment %}{{ data.b }}{% endcomment %}', ''],
  'other roots': [
    '{{ contact.firstName }} {{ event.data.plan }} {{ nmae }}',
    '!contact.firstName, !event.data.plan, !nmae',
  ],
}

describe('the variables of a template', () => {
  it('are found, with those that it needs', () =>
    checkRows(TEMPLATES, ([template, expected]) => {
      const found = findUsedVariables(new Liquid().parse(template))
      const described = found.map(({ name, isRequired }) => `${isRequired ? '!' : ''}${name}`).join(', ')
      assert.equal(described, expected)
    }))

  it('are found in a large template in a moment', () => {
    const template = Array.from({ length: 4_000 }, (_, n) => `{{ data.v${n % 50} }}`).join('')
    assert.equal(findUsedVariables(new Liquid().parse(template)).length, 50)
  })
})
