import type { Answer, Service } from './service.ts'

export interface Ask {
  body?: unknown
  workspaceId?: string | undefined
  headers?: Record<string, string>
}

/** Sends requests as a page of the service does in a browser: with its cookies and the `Origin` of each request. */
export interface BrowserLike {
  ask(method: string, path: string, ask?: Ask): Promise<Answer>
  /** The headers of each request. */
  headers(workspaceId: string | undefined): Record<string, string>
  /** The value of the session cookie. */
  cookie: string | undefined
}

/** Opens a browser in which no account is signed in. */
export function openBrowser(service: Service): BrowserLike {
  const origin = service.context.config.PUBLIC_URL ?? `http://127.0.0.1:${service.port}`
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
