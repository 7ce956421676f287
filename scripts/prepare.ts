/** `npm run prepare`, which npm runs after an instance: makes in `dist/` what is generated and not kept in the repository. */
import { buildClient } from './prepare/client.ts'
import { buildDashboard } from './prepare/dashboard.ts'
import { fetchReference } from './prepare/reference.ts'

/** Who installs is told nothing: what is left out there is told where it is missed. */
// npm tells by this what it was asked for.
// eslint-disable-next-line no-restricted-syntax -- no variable of ours
const isInstallation = ['ci', 'install'].includes(process.env['npm_command'] ?? '')
const say = (line: string) => void (isInstallation || process.stdout.write(`${line}\n`))

await buildClient(say)
await buildDashboard(say)
await fetchReference(say)
