import type { ProcessOptions } from './child-process.ts'

/** What the embedded services are asked for. Parts that are not there are not started. */
export interface EmbeddedOptions {
  dataDir: string
  /** The process that asks: another one that asks for the same folder is told of it. */
  ownerPid: number
  /** For what is done about a restore, alone: the folder may be half of one, and nobody else is told where they are. */
  restores?: boolean
  /** Files hold the passwords of the superuser and of the service's role. Those not named are made in the data folder. */
  postgres?: { port: number; superuserPasswordFile?: string; passwordFile?: string }
  /** Temporal's development server, with its UI, on a file. */
  temporal?: { cliPath: string; port: number; uiPort: number }
  /** Or Temporal's server as in production, on the same Postgres, without a UI. */
  temporalServer?: {
    serverPath: string
    sqlToolPath: string
    /** The first of eight in a row, all below 32768: its schema keeps them in a smallint. */
    port: number
    /** How long workflows that have ended are kept. */
    retentionHours: number
    /** Holds the password of its role. Where none is named, one is made in the data folder. */
    passwordFile?: string
  }
}

/** Where they are. */
export interface EmbeddedAddresses {
  databaseUrl?: string
  temporalAddress?: string
  temporalUiUrl?: string
}

/** What their owner is told besides, and what is written nowhere. */
export interface OwnersAddresses extends EmbeddedAddresses {
  /** For making databases. */
  superuserUrl?: string
}

/** From the host process to its owner. */
export type HostMessage =
  { kind: 'progress'; line: string } | { kind: 'ready'; addresses: OwnersAddresses } | { kind: 'failed'; error: string }

/** From the owner to the host process. */
export type OwnerMessage =
  | { kind: 'start'; options: EmbeddedOptions }
  /** A process to be kept beside them, and stopped before them. */
  | { kind: 'keep'; process: ProcessOptions }
  | { kind: 'stop' }
