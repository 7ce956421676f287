/** A finished request of an API key. Contains no personal data, unless a client puts it into its request ID or invents a field. */
export interface FinishedRequest {
  workspaceId: string
  keyId: string
  method: string
  /** The path of the operation, such as `/contacts/{id}`; `null` if the request reached none. */
  path: string | null
  status: number
  errorCode: string | null
  errorParam: string | null
  durationMs: number
  requestId: string
}

/** Adds a request to the request log of its workspace. */
export type RecordRequest = (request: FinishedRequest) => void
