import type { Answer, Service } from './service.ts'

export interface Ask {
  body?: unknown
  workspaceId?: string | undefined
  headers?: Record<string, string>
}

/** What asks as a page of the service does in a browser: with its cookies, and where each request comes from. */
export interface BrowserLike {
  ask(method: string, path: string, ask?: Ask): Promise<Answer>
  /** What it sends with each request. */
  headers(workspaceId: string | undefined): Record<string, string>
  /** What the cookie holds. */
  cookie: string | undefined
}

/** A browser that is nobody's yet. */
export function openBrowser(service: Service): BrowserLike {
  const origin = `http://127.0.0.1:${service.port}`
  const browser: BrowserLike = {
    cookie: undefined,
    headers: (workspaceId) => ({
      Origin: origin,
      'Sec-Fetch-Site': 'same-origin',
      ...(browser.cookie === undefined ? {} : { Cookie: browser.cookie }),
      ...(workspaceId === undefined ? {} : { 'X-Workspace-Id': workspaceId }),
    }),
    async ask(method, path, { body, workspaceId, headers = {} } = {}) {
      const sent = { ...browser.headers(workspaceId), ...headers }
      const answer = await service.call(method, path, body, { key: null, headers: sent })
      const [set] = answer.headers.getSetCookie()
      if (set !== undefined) browser.cookie = /Max-Age=0/.test(set) ? undefined : set.split(';')[0]
      return answer
    },
  }
  return browser
}
