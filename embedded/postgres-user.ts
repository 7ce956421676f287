import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isOwnFolder } from './data-folder.ts'
import { neededEnvironment } from './environment.ts'

const USER = 'postgres'

/** Runs Postgres's programs, which refuse to run as root, as a suitable user. */
export interface PostgresUser {
  /** Builds the command that runs a program as this user. */
  command(program: string, args: readonly string[]): { command: string; args: string[] }
  /** Makes this user the owner of a file or folder. */
  own(path: string): void
}

const OURSELVES: PostgresUser = {
  command: (program, args) => ({ command: program, args: [...args] }),
  own: () => undefined,
}

/** Capabilities that give access to closed folders. The first one grants less, but most containers lack it. */
const CAPABILITIES = ['dac_read_search', 'dac_override']

/**
 * Determines the user that Postgres runs as: the current one, or `postgres` if that is root. If that user cannot reach the
 * project or the data folder because a parent folder such as /root is closed, it gets the one capability that it needs. So the
 * data stay in their place, and no folder is opened to others.
 *
 * @throws {Error} that says which folder is closed and what to do, if there is no other way
 */
export function choosePostgresUser(program: string, dataDir: string, databaseDir: string): PostgresUser {
  if (process.getuid?.() !== 0) return OURSELVES
  // The owner can differ: another user created the folder, or the user has another number on this machine.
  const owner = statSync(databaseDir, { throwIfNoEntry: false })
  const { uid, gid } = owner && owner.uid !== 0 ? owner : findOrMakeUser()
  // Allows passing through, but not listing.
  if (isOwnFolder(dataDir)) {
    chownSync(dataDir, 0, gid)
    chmodSync(dataDir, 0o710)
  }
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs']
  const without = [...identity, '--inh-caps=-all']
  const ways = [
    without,
    ...CAPABILITIES.map((name) => [
      ...identity,
      // Postgres looks for its own programs with access(2), which ignores the capabilities of other users than root without this
      // flag.
      '--securebits=+no_setuid_fixup',
      ...['--inh-caps', '--ambient-caps'].map((set) => `${set}=-all,+${name}`),
    ]),
  ]
  const reaches = (way: readonly string[]) =>
    spawnSync('setpriv', [...way, '/bin/sh', '-c', 'cd -- "$1" && "$2" --version', 'sh', dataDir, program], {
      env: neededEnvironment(process.env),
    }).status === 0
  const way = ways.find(reaches)
  if (!way) throw new Error(describeProblem([program, dataDir]))
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
        `Postgres cannot run as root, and a user "${USER}" for it could not be created. Create one, or start as another user.`,
        { cause: error },
      )
    }
  }
}

const describeProblem = (paths: readonly string[]): string => {
  const closed = paths.flatMap(foldersAbove).find((folder) => (statSync(folder).mode & 0o001) === 0)
  return (
    `If started by root, Postgres runs as the user "${USER}", who cannot reach ${paths.join(' and ')}` +
    `${closed === undefined ? '' : ` (${closed} is closed to it)`}. Start Dripline as another user, or move the project and ` +
    'DATA_DIR to a folder that this user can reach, such as below /opt or /srv.'
  )
}

const foldersAbove = (path: string): string[] =>
  dirname(path) === path ? [path] : [...foldersAbove(dirname(path)), dirname(path)]
