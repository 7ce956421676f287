import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isOurs } from './data-folder.ts'
import { neededEnvironment } from './environment.ts'

const USER = 'postgres'

/** How to start Postgres's programs, which refuse to be root's. */
export interface PostgresUser {
  /** The command that runs another one as this user. */
  command(program: string, args: readonly string[]): { command: string; args: string[] }
  /** Gives a file or folder to this user. */
  own(path: string): void
}

const OURSELVES: PostgresUser = {
  command: (program, args) => ({ command: program, args: [...args] }),
  own: () => undefined,
}

/** Each lets its holder into folders that are closed to it. The first gives less, and is not given to most containers. */
const CAPABILITIES = ['dac_read_search', 'dac_override']

/**
 * Settles as whom Postgres runs: as we do; or, started by root, as the user `postgres`. Where that user cannot enter the
 * project or the data folder because a folder above is closed (such as /root), it is given the one capability that lets it
 * pass, so that the data stay where they belong and no folder is opened for others.
 *
 * @throws {Error} that says what is closed and what to do, when there is no way in.
 */
export function settlePostgresUser(program: string, dataDir: string, databaseDir: string): PostgresUser {
  if (process.getuid?.() !== 0) return OURSELVES
  // Whose the database folder is by now: another user may have made it, or a machine on which the user has another number.
  const owner = statSync(databaseDir, { throwIfNoEntry: false })
  const { uid, gid } = owner && owner.uid !== 0 ? owner : findOrMakeUser()
  // Through, and no look around.
  if (isOurs(dataDir)) {
    chownSync(dataDir, 0, gid)
    chmodSync(dataDir, 0o710)
  }
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs']
  const without = [...identity, '--inh-caps=-all']
  const ways = [
    without,
    ...CAPABILITIES.map((name) => [
      ...identity,
      // Postgres looks for its own programs with access(2), which forgets the capabilities of who is not root unless told.
      '--securebits=+no_setuid_fixup',
      ...['--inh-caps', '--ambient-caps'].map((set) => `${set}=-all,+${name}`),
    ]),
  ]
  const reaches = (way: readonly string[]) =>
    spawnSync('setpriv', [...way, '/bin/sh', '-c', 'cd -- "$1" && "$2" --version', 'sh', dataDir, program], {
      env: neededEnvironment(process.env),
    }).status === 0
  const way = ways.find(reaches)
  if (!way) throw new Error(refusal([program, dataDir]))
  return {
    command: (of, args) => ({ command: 'setpriv', args: [...way, of, ...args] }),
    own: (path) => chownSync(path, uid, gid),
  }
}

function findOrMakeUser(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, USER], { stdio: ['ignore', 'pipe', 'ignore'] }))
  const find = () => ({ uid: id('-u'), gid: id('-g') })
  try {
    return find()
  } catch {
    try {
      execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', USER])
      return find()
    } catch (error) {
      throw new Error(
        `Postgres does not run as root, and a user "${USER}" for it could not be made. Make one, or start as another user.`,
        { cause: error },
      )
    }
  }
}

const refusal = (paths: readonly string[]): string => {
  const closed = paths.flatMap(foldersAbove).find((folder) => (statSync(folder).mode & 0o001) === 0)
  return (
    `Started by root, Postgres runs as the user "${USER}", who cannot get to ${paths.join(' and ')}` +
    `${closed === undefined ? '' : ` (${closed} is closed to it)`}. Start Dripline as another user, or put the project and ` +
    'DATA_DIR where that user can enter, such as below /opt or /srv.'
  )
}

const foldersAbove = (path: string): string[] =>
  dirname(path) === path ? [path] : [...foldersAbove(dirname(path)), dirname(path)]
