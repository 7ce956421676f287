import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../dashboard/', import.meta.url))

/** Builds the dashboard, which the API serves at `/`. */
export async function buildDashboard(say: (line: string) => void): Promise<void> {
  const vite = await import('vite').catch(() => undefined)
  if (!vite || !existsSync(ROOT)) {
    say('The dashboard: skipped, because the development dependencies are not installed')
    return
  }
  await vite.build({ root: ROOT, configFile: `${ROOT}vite.config.ts`, logLevel: 'error' })
  say('The dashboard: built in dist/dashboard')
}
