/** The state of the services that Dripline depends on, as this process sees it. */
export interface ServiceStatus {
  postgres: { isReachable: boolean }
  temporal: {
    isReachable: boolean
    namespace: string
    /** The URL of Temporal's UI without a trailing slash; `null` if it is not configured. */
    uiUrl: string | null
    /** The number of workers that polled for work within a minute; `null` if it is unknown. */
    workers: number | null
  }
  mail: {
    /** `smtp` if mail of live workspaces leaves the instance, otherwise `capture`. */
    mode: 'smtp' | 'capture'
    /** The sender's address; `null` if it is not configured. */
    sender: string | null
    /** Host and port of the server; `null` if this process has none. */
    server: string | null
    /** The reason why the server rejected the login; `null` if it accepted it or was not checked. */
    failure: string | null
  }
}

/** The outcome of a test email. */
interface TestEmailResult {
  status: 'SENT' | 'CAPTURED' | 'FAILED' | 'UNCONFIRMED'
  /** The server's error message. */
  error: string | null
}

/** Sends one email of a workspace to the person who requests it, from the workspace's sender. It is not stored. */
export type SendTestEmail = (
  email: { to: string; subject: string; html: string | null; text: string | null },
  workspace: { id: string; isLive: boolean },
) => Promise<TestEmailResult>
