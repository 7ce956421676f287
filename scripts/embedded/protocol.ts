/** What the embedded services are asked for. Parts that are not there are not started. */
export interface EmbeddedOptions {
  dataDir: string
  /** The process that asks: another one that asks for the same folder is told of it. */
  ownerPid: number
  postgres?: { port: number }
  temporal?: { cliPath: string; port: number; uiPort: number }
}

/** Where they are. Written to `running.json` in the data folder too, for the command line. */
export interface EmbeddedAddresses {
  databaseUrl?: string
  temporalAddress?: string
  temporalUiUrl?: string
}

/** From the host process to its owner. */
export type HostMessage =
  | { kind: 'progress'; line: string }
  | { kind: 'ready'; addresses: EmbeddedAddresses }
  | { kind: 'failed'; error: string }

/** From the owner to the host process. */
export type OwnerMessage = { kind: 'start'; options: EmbeddedOptions } | { kind: 'stop' }
