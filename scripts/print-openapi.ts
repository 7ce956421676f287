/** `npm run --silent openapi`: prints the OpenAPI document, as `GET /openapi.json` returns it. */
import { document } from '../src/runtime/operations.ts'

process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
