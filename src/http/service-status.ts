/** How what the service works with is, as far as this process can see. */
export interface ServiceStatus {
  postgres: { isReachable: boolean }
  temporal: {
    isReachable: boolean
    namespace: string
    /** Where its page is, without a slash at the end; `null`: nobody has said. */
    uiUrl: string | null
    /** How many workers asked for work within a minute; `null`: not known. */
    workers: number | null
  }
  mail: {
    /** Whether mail of live workspaces leaves the instance. */
    mode: 'smtp' | 'capture'
    /** From whom; `null`: nobody has said. */
    sender: string | null
    /** Host and port of the server; `null`: this process has none. */
    server: string | null
    /** Why the server does not let us in; `null`: it does, or was not asked. */
    failure: string | null
  }
}

/** What became of an email that somebody sends to themselves. */
export interface TestEmailResult {
  status: 'SENT' | 'CAPTURED' | 'FAILED' | 'UNCONFIRMED'
  /** Why, in the server's words. */
  error: string | null
}

/** Sends one email of a workspace to whoever asks for it, from its sender, and keeps nothing of it. */
export type SendTestEmail = (
  email: { to: string; subject: string; html: string | null; text: string | null },
  workspace: { id: string; isLive: boolean },
) => Promise<TestEmailResult>
