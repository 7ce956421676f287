/** A JSON schema of the OpenAPI document. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
}

const SCALARS: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}
/** Words of Python's grammar, which cannot be the name of a field in a class. */
const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)
const HEADER = `"""The types of the API, generated from its OpenAPI document. Requests and responses are dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias

`

export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
export const quote = (text: string): string => JSON.stringify(text)
/** Writes a docstring. */
export const docOf = (text: string): string => `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}"""`

/** Collects the type definitions of a Python module. Objects become TypedDicts, and objects without a name get one. */
export class PythonTypes {
  private readonly definitions = new Map<string, string>()
  private readonly referenced = new Set<string>()
  private readonly components: Record<string, Schema>

  constructor(components: Record<string, Schema>) {
    this.components = components
  }

  /** Returns the name of a component. Defines it at its first use. */
  reference(name: string): string {
    if (this.referenced.has(name)) return name
    this.referenced.add(name)
    const schema = this.components[name]!
    // A component that can be null is an alias, and its object needs another name.
    const type = this.typeOf(schema, Array.isArray(schema.type) ? `${name}Object` : name)
    if (type !== name) this.add(name, `${name}: TypeAlias = ${quote(type)}\n`)
    return name
  }

  /** Returns the type of a schema. If it is an object, defines the type with this name first. */
  typeOf(schema: Schema, name: string): string {
    const { $ref, type, oneOf, anyOf, properties } = schema
    if ($ref !== undefined) return this.reference($ref.slice($ref.lastIndexOf('/') + 1))
    if (schema.enum) return literalOf(schema.enum)
    const union = properties ? undefined : (oneOf ?? anyOf)
    if (union) return unionOf(union.map((one, n) => this.typeOf(one, `${name}${n + 1}`)))
    if (Array.isArray(type)) return unionOf(type.map((one) => this.typeOf({ ...schema, type: one }, name)))
    if (type === 'array') return `List[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`
    if (type === 'object' && properties) return this.defineObject(name, schema, properties)
    if (type === 'object') {
      const { additionalProperties: values } = schema
      return `Dict[str, ${typeof values === 'object' ? this.typeOf(values, `${name}Value`) : 'Any'}]`
    }
    return SCALARS[type ?? ''] ?? 'Any'
  }

  /** Returns the text of the module. */
  format(): string {
    return `${HEADER}\n${[...this.definitions.values()].join('\n\n')}\n`
  }

  private defineObject(name: string, schema: Schema, properties: Record<string, Schema>): string {
    const required = new Set(schema.required)
    const fields = Object.entries(properties).map(([key, field]) => {
      const type = this.typeOf(field, name + pascal(key).replaceAll(/\W/g, ''))
      return { key, type: required.has(key) ? type : `NotRequired[${type}]`, doc: field.description }
    })
    if (fields.some(({ key }) => KEYWORDS.has(key) || /\W/.test(key))) {
      const lines = fields.map(({ key, type }) => `        ${quote(key)}: ${quote(type)},\n`)
      this.add(name, `${name} = TypedDict(\n    ${quote(name)},\n    {\n${lines.join('')}    },\n)\n`)
      return name
    }
    const lines = fields.flatMap(({ key, type, doc }) => [
      `    ${key}: ${type}\n`,
      ...(doc === undefined ? [] : [`    ${docOf(doc)}\n`]),
    ])
    const doc = schema.description === undefined ? '' : `    ${docOf(schema.description)}\n\n`
    this.add(name, `class ${name}(TypedDict):\n${doc}${lines.join('')}`)
    return name
  }

  private add(name: string, text: string): void {
    const present = this.definitions.get(name)
    if (present !== undefined && present !== text) throw new Error(`There are two Python types ${name}`)
    this.definitions.set(name, text)
  }
}

const unionOf = (types: string[]): string => {
  const unique = [...new Set(types)]
  return unique.length === 1 ? unique[0]! : `Union[${unique.join(', ')}]`
}

function literalOf(values: unknown[]): string {
  const literals = values
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'boolean' ? pascal(String(value)) : JSON.stringify(value)))
  return unionOf([
    ...(literals.length > 0 ? [`Literal[${literals.join(', ')}]`] : []),
    ...(values.includes(null) ? ['None'] : []),
  ])
}
