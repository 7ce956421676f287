/** `npm run prepare`, which npm runs after an installation: makes in `dist/` what is generated and not kept in the repository. */
import { buildClient } from './prepare/client.ts'
import { fetchReference } from './prepare/reference.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

await buildClient(say)
await fetchReference(say)
