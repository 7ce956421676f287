import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../dashboard/', import.meta.url))

/** Makes the page where people work, which the API serves at `/`. */
export async function buildDashboard(say: (line: string) => void): Promise<void> {
  const vite = await import('vite').catch(() => undefined)
  if (!vite || !existsSync(ROOT)) {
    say('The dashboard: left out, as this is an instance without development dependencies')
    return
  }
  await vite.build({ root: ROOT, configFile: `${ROOT}vite.config.ts`, logLevel: 'error' })
  say('The dashboard: in dist/dashboard')
}
