import { lazyRouteComponent } from '@tanstack/react-router'
import { sleep } from './sleep.ts'

const RETRY_MS = 3_000

/** Whether the service answers: what stands before it may, with another page. */
const isServiceUp = () =>
  fetch('/healthz', { signal: AbortSignal.timeout(RETRY_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Asks again for the looks that did not come. */
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
 * Loads a part of the page, as soon as the service is there: what is typed in another part stays meanwhile.
 *
 * @throws where the service is there, and the part is not: a new version has others
 */
export async function loadWithRetry<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  let wasThere = false
  for (let tries = 1; ; tries += 1) {
    try {
      const loaded = await load()
      if (tries > 1) await reloadStylesheets()
      return loaded
    } catch (error) {
      const isBack = await isServiceUp()
      // Once more in any case: it may have come back between the two.
      if (isBack && wasThere) throw error
      wasThere = isBack
      if (!isBack) await sleep(RETRY_MS)
    }
  }
}

/** A route's page, which comes when somebody goes there. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadWithRetry(load), name)
