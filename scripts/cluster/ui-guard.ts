/** Temporal's UI for this machine alone. Arguments: the port to serve it on, the port that the UI has. */
import { startUiGuard } from '../../embedded/ui-guard.ts'

const [port, uiPort] = process.argv.slice(2).map(Number) as [number, number]
await startUiGuard(port, uiPort)
