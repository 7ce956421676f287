import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, lazy } from 'react'
import { sleep } from './sleep.ts'

const RETRY_MS = 3_000

/** Checks whether the server itself responds. A proxy in front of it may respond with another page. */
const isServiceUp = () =>
  fetch('/healthz', { signal: AbortSignal.timeout(RETRY_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Reloads stylesheets that failed to load. */
async function reloadStylesheets(): Promise<void> {
  const missing = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].filter(({ sheet }) => !sheet)
  await Promise.all(
    missing.map((link) => {
      const again = link.cloneNode() as HTMLLinkElement
      const loaded = new Promise((resolve) => {
        again.onload = resolve
        again.onerror = resolve
      })
      link.replaceWith(again)
      return loaded
    }),
  )
}

/**
 * Loads a chunk of the page, and retries while the server is unreachable. The rest of the page keeps its state.
 *
 * @throws if the server responds but the chunk is missing, as after an update
 */
async function loadWithRetry<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  let wasThere = false
  for (let tries = 1; ; tries += 1) {
    try {
      const loaded = await load()
      if (tries > 1) await reloadStylesheets()
      return loaded
    } catch (error) {
      const isBack = await isServiceUp()
      // Try once more in any case: the server may have come back between the two requests.
      if (isBack && wasThere) throw error
      wasThere = isBack
      if (!isBack) await sleep(RETRY_MS)
    }
  }
}

/** Loads a part of a page on demand, such as an editor. Needs a `Suspense` around it. */
export const lazyPart = <Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> =>
  lazy(async () => ({ default: await loadWithRetry(load) }))

/** Loads the page of a route on demand. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadWithRetry(load), name)
