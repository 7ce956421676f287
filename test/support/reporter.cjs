/** Mocha's spec reporter, with one plain last line that any CI can read. */
const { reporters } = require('mocha')

module.exports = class SpecWithCount extends reporters.Spec {
  epilogue() {
    super.epilogue()
    const { passes, failures, pending } = this.stats
    console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`)
  }
}
