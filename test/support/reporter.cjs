const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const { dirname, relative } = require('node:path')
const { performance } = require('node:perf_hooks')
const { reporters } = require('mocha')

/** The seconds that each file took in the last run, to estimate the time left. */
const DURATIONS = 'node_modules/.cache/dripline/test-files.json'
const SLOWEST = 10
/** The seconds of a file whose tests take no time, but which is loaded. */
const SHORTEST = 0.1

const readDurations = () => {
  try {
    return JSON.parse(readFileSync(DURATIONS, 'utf8'))
  } catch {
    return {}
  }
}

const nameOf = ({ file }) => relative('.', file ?? '')
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
const inWords = (ms) => (ms < 90_000 ? `${Math.ceil(ms / 10_000) * 10} s` : `${Math.ceil(ms / 60_000)} min`)

/** The last lines of every run: the slowest tests, the failures, and one plain line that any CI can read. */
const withEnd = (Reporter) =>
  class extends Reporter {
    #tests = []

    constructor(runner, options) {
      super(runner, options)
      runner.on('test end', (test) => this.#tests.push(test))
    }

    epilogue() {
      const slowest = this.#tests.toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0)).slice(0, SLOWEST)
      if (this.#tests.length > 10 * SLOWEST) {
        console.log(`\nThe ${SLOWEST} slowest tests:`)
        for (const test of slowest)
          console.log(`  ${seconds(test.duration ?? 0).padStart(7)}  ${nameOf(test)}: ${test.titlePath().join(' ')}`)
      }
      super.epilogue()
      const { passes, failures, pending } = this.stats
      console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`)
    }
  }

/** One line for each file of a parallel run, with the time left. */
class Files extends reporters.Base {
  constructor(runner, options) {
    super(runner, options)
    const { files } = options
    const earlier = readDurations()
    const known = Object.values(earlier)
    const usual = known.length === 0 ? 1 : known.reduce((sum, one) => sum + one, 0) / known.length
    const weight = (file) => earlier[relative('.', file)] ?? usual
    const total = files.reduce((sum, file) => sum + weight(file), 0)
    console.log(`Running ${files.length} files`)
    // Without the durations of an earlier run of most files, an estimate would be far off.
    const hasEstimate = files.filter((file) => relative('.', file) in earlier).length > files.length / 2
    const begin = performance.now()
    const durations = {}
    let done = 0
    let doneWeight = 0
    const none = () => ({ count: 0, failed: 0, ms: 0, errors: [] })
    let current = none()
    runner.on('test end', (test) => {
      current.file = test.file
      current.count += 1
      current.ms += test.duration ?? 0
    })
    // Also an error outside of a test, which has no file.
    runner.on('fail', (test, error) => {
      current.file ??= test.file
      current.failed += 1
      current.errors.push(`${test.titlePath().join(' ')}: ${String(error?.message).split('\n', 1)[0]}`)
    })
    runner.on('suite end', (suite) => {
      if (!suite.root) return
      const { file = '', count, failed, ms, errors } = current
      current = none()
      done += 1
      doneWeight += weight(file)
      if (count === 0 && failed === 0) return
      const path = relative('.', file)
      durations[path] = Math.max(ms / 1000, SHORTEST)
      const left = ((performance.now() - begin) * (total - doneWeight)) / doneWeight
      const result = failed === 0 ? `✔ ${path} (${count}, ${seconds(ms)})` : `✘ ${path}: ${failed} of ${count} failed`
      // The first files are short, and say little about the others.
      const estimate = !hasEstimate || doneWeight < total / 20 ? '' : `, about ${inWords(left)} left`
      console.log(`${result}  ${done} of ${files.length} files${estimate}`)
      for (const error of errors) console.log(`    ${error}`)
    })
    runner.once('end', () => {
      mkdirSync(dirname(DURATIONS), { recursive: true })
      writeFileSync(DURATIONS, JSON.stringify({ ...earlier, ...durations }))
      this.epilogue()
    })
  }
}

const AllFiles = withEnd(Files)
const OneFile = withEnd(reporters.Spec)

/** Mocha's spec reporter for one file, and the progress of a parallel run. */
module.exports = function reporter(runner, options) {
  return options.parallel ? new AllFiles(runner, options) : new OneFile(runner, options)
}
