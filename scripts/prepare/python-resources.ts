import { document } from '../../src/runtime/operations.ts'
import { docOf, pascal, PythonTypes, quote, type Schema } from './python-types.ts'

interface Method {
  name: string
  endpoint: string
  doc: string
}
interface Resource {
  name: string
  doc: string
  methods: Method[]
}

interface Json {
  content?: { 'application/json'?: { schema: Schema } }
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}
interface Described {
  operationId: string
  parameters?: Parameter[]
  requestBody?: Json & { required?: boolean }
  responses: Record<string, Json>
}

/** A line of the method table: a comment, the start of a resource, or a method. */
const LINE = /^\s+(?:\/\*\* (?<doc>.*) \*\/|(?<name>\w+): (?:(?<group>\{)|'(?<endpoint>.*)'),?)$/
const HEADER = `"""The methods of the API, generated from its OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Union

from ._core import Core, Resource, path_of

if TYPE_CHECKING:
    from .types import *

`

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const schemaOf = ({ content }: Json): Schema => content?.['application/json']?.schema ?? {}

/** Reads the method table of the TypeScript client. */
function readResources(table: string): Resource[] {
  const resources: Resource[] = []
  const start = table.indexOf('const RESOURCES = {\n')
  let doc = ''
  for (const line of table.slice(start, table.indexOf('\n};', start)).split('\n').slice(1)) {
    const { doc: text, name = '', group, endpoint } = LINE.exec(line)?.groups ?? {}
    if (text !== undefined) doc = text
    else if (group !== undefined) resources.push({ name, doc, methods: [] })
    else if (endpoint !== undefined) resources.at(-1)!.methods.push({ name, endpoint, doc })
  }
  return resources
}

/** Writes a class for each resource of the TypeScript client, and the types of requests and responses. */
export function writeResources(table: string): { resources: string; types: string } {
  const { paths, components } = document as unknown as {
    paths: Record<string, Record<string, Described>>
    components: { schemas: Record<string, Schema> }
  }
  const types = new PythonTypes(components.schemas)
  types.reference('WebhookEvent')
  const resources = readResources(table)
  const classes = resources.map(({ name, doc, methods }) =>
    [
      `class ${pascal(name)}Resource(Resource):`,
      `    ${docOf(doc)}`,
      '',
      ...methods.map((method) => {
        const [verb = '', path = ''] = method.endpoint.split(' ')
        return writeMethod(method, paths[path]![verb.toLowerCase()]!, types)
      }),
      '',
    ].join('\n'),
  )
  const all = [
    'class Resources:',
    '    """The resources of the API."""',
    '',
    '    def __init__(self, core: Core) -> None:',
    ...resources.flatMap(({ name, doc }) => [
      `        self.${snake(name)} = ${pascal(name)}Resource(core)`,
      `        ${docOf(doc)}`,
    ]),
    '',
  ]
  return { resources: [HEADER, ...classes, all.join('\n')].join('\n'), types: types.format() }
}

/** Writes a method: `def update(self, id: str, body: ContactChange, *, idempotency_key: Optional[str] = None)`. */
function writeMethod({ name, endpoint, doc }: Method, operation: Described, types: PythonTypes): string {
  const [verb = '', path = '', , input] = endpoint.split(' ')
  const { operationId, parameters = [], requestBody = {}, responses } = operation
  const id = pascal(operationId)
  const ids = [...path.matchAll(/{(\w+)}/g)].map(([, one = '']) => snake(one))
  const values = ['self', ...ids.map((one) => `${one}: str`)]
  const optional = (value: string, type: string) => `${value}: Optional[${type}] = None`

  if (input === 'body') {
    const type = types.typeOf(schemaOf(requestBody), `${id}Body`)
    values.push(requestBody.required === true ? `body: ${type}` : optional('body', type))
  } else if (input !== undefined) {
    const query = parameters.filter((one) => one.in === 'query')
    const required = query.filter((one) => one.required).map(({ name }) => name)
    const properties = Object.fromEntries(query.map(({ name, schema, ...given }) => [name, { ...schema, ...given }]))
    const type = types.typeOf(
      { type: 'object', properties: properties as Record<string, Schema>, required },
      `${id}Query`,
    )
    values.push(required.length > 0 ? `query: ${type}` : optional('query', type))
  }
  const headers = parameters
    .filter((one) => one.in === 'header')
    .map(({ name }) => name.toLowerCase().replaceAll('-', '_'))
  if (headers.length > 0) values.push('*', ...headers.map((header) => optional(header, 'str')))

  const [, response = {}] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const { data = {}, pagination } = schemaOf(response).properties ?? {}
  const result = types.typeOf(pagination ? (data.items ?? {}) : data, `${id}Result`)
  const template = quote(path.replaceAll(/{(\w+)}/g, (_, one: string) => `{${snake(one)}}`))
  const url = ids.length === 0 ? template : `path_of(${[template, ...ids.map((one) => `${one}=${one}`)].join(', ')})`
  const options = [...(input === undefined ? [] : [input]), ...headers].map((option) => `${option}=${option}`)
  return [
    `    def ${snake(name)}(${values.join(', ')}) -> ${pagination ? `Iterator[${result}]` : result}:`,
    `        ${docOf(doc)}`,
    `        return ${pagination ? `self._pages(${url}, query)` : `self._call(${[quote(verb), url, ...options].join(', ')})`}`,
    '',
  ].join('\n')
}
