import { paramsOf, takesIdempotencyKey, type Operation } from '../operation.ts'
import { exampleOf } from './json-schema.ts'

export interface Sample {
  lang: string
  label: string
  source: string
}

/** Code samples for the reference that call an operation from a shell and from TypeScript. */
export const samplesOf = (operation: Operation, serverUrl: string): Sample[] => [
  { lang: 'Shell', label: 'curl', source: curl(operation, serverUrl) },
  { lang: 'TypeScript', label: 'TypeScript', source: typeScript(operation) },
]

function curl(operation: Operation, serverUrl: string): string {
  const { method, body } = operation
  const path = paramsOf(operation).reduce(
    (path, { name, example }) => path.replace(`{${name}}`, example),
    operation.path,
  )
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${serverUrl}${path}'`,
    `-H 'Authorization: Bearer <API_KEY>'`,
  ]
  if (body) {
    if (takesIdempotencyKey(operation)) lines.push(`-H "Idempotency-Key: $(uuidgen)"`)
    lines.push(`-H 'Content-Type: application/json'`)
    lines.push(`-d '${JSON.stringify(exampleOf(body)).replaceAll("'", `'\\''`)}'`)
  }
  return lines.join(' \\\n  ')
}

function typeScript(operation: Operation): string {
  const { method, path, body } = operation
  const options: string[] = []
  const params = paramsOf(operation)
  if (params.length > 0) {
    const values = params.map(({ name, example }) => `${name}: '${example}'`)
    options.push(`  params: { path: { ${values.join(', ')} } },`)
  }
  if (body) {
    const json = JSON.stringify(exampleOf(body), null, 2).replaceAll('\n', '\n  ')
    options.push(`  body: ${json.replace(/"([A-Za-z_]\w*)":/g, '$1:')},`)
  }
  const call = options.length > 0 ? `'${path}', {\n${options.join('\n')}\n}` : `'${path}'`
  return [
    `import { createDriplineClient } from '@dripline/client'`,
    '',
    `const dripline = createDriplineClient({ baseUrl: 'http://localhost:3000/api/v1', apiKey: '<API_KEY>' })`,
    `const { data } = await dripline.${method}(${call})`,
  ].join('\n')
}
