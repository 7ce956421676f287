/** `npm run prepare`, which npm runs after an installation: generates the files in `dist/` that are not in the repository. */
import { buildCli } from './prepare/cli.ts'
import { buildClient } from './prepare/client.ts'
import { buildDashboard } from './prepare/dashboard.ts'
import { buildPython } from './prepare/python.ts'
import { fetchReference } from './prepare/reference.ts'
import { buildTesting } from './prepare/testing.ts'

/** Prints nothing during an installation: whatever is left out is reported when it is needed. */
// The name of the npm command that runs this script.
// eslint-disable-next-line no-restricted-syntax -- not a variable of Dripline
const isInstallation = ['ci', 'install'].includes(process.env['npm_command'] ?? '')
const say = (line: string) => void (isInstallation || process.stdout.write(`${line}\n`))

await buildClient(say)
await buildCli(say)
await buildTesting(say)
buildPython(say)
await buildDashboard(say)
await fetchReference(say)
