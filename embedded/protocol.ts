import type { ProcessOptions } from './child-process.ts'

/** The embedded services to start. Services without options are not started. */
export interface EmbeddedOptions {
  dataDir: string
  /** The owner's process: another process that wants the same folder reports it. */
  ownerPid: number
  /** For a restore only: the folder may be incomplete, and no other process gets the addresses. */
  restores?: boolean
  /** Files with the passwords of the superuser and of the service's role. By default, they are created in the data folder. */
  postgres?: { port: number; superuserPasswordFile?: string; passwordFile?: string }
  /** Temporal's development server, with its UI, on a file. */
  temporal?: { cliPath: string; port: number; uiPort: number }
  /** Temporal's production server, on the same Postgres, without a UI. */
  temporalServer?: {
    serverPath: string
    sqlToolPath: string
    /** The first of eight consecutive ports, all below 32768, because its schema stores them in a smallint. */
    port: number
    /** Hours for which ended workflows are kept. */
    retentionHours: number
    /** The file with the password of its role. By default, it is created in the data folder. */
    passwordFile?: string
  }
}

/** The addresses of the embedded services. */
export interface EmbeddedAddresses {
  databaseUrl?: string
  temporalAddress?: string
  temporalUiUrl?: string
}

/** Additional addresses for the owner, which are never written to a file. */
export interface OwnersAddresses extends EmbeddedAddresses {
  /** For creating databases. */
  superuserUrl?: string
}

/** Messages from the host process to its owner. */
export type HostMessage =
  { kind: 'progress'; line: string } | { kind: 'ready'; addresses: OwnersAddresses } | { kind: 'failed'; error: string }

/** Messages from the owner to the host process. */
export type OwnerMessage =
  | { kind: 'start'; options: EmbeddedOptions }
  /** A process to run next to the services, and to stop before them. */
  | { kind: 'keep'; process: ProcessOptions }
  | { kind: 'stop' }
