// sources.mjs checks the TypeScript below a folder: no line is longer than 140
// characters, and no modules import each other in a circle. Imports of types
// count too; import() does not, which is how a part is loaded later.
// Usage: node sources.mjs TYPESCRIPT FOLDER
import { readFileSync, readdirSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"

const LONGEST_LINE = 140

const [compiler, root] = process.argv.slice(2)
const { default: ts } = await import(pathToFileURL(join(compiler, "lib/typescript.js")))

const problems = []
const imports = new Map() // of each file

for (const name of readdirSync(root, { recursive: true }).filter((n) => n.endsWith(".ts")).sort()) {
  const path = join(root, name)
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
  checkLines(file)
  imports.set(path.replace(/(\.d)?\.ts$/, ""), importsOf(file))
}
checkCircles()

if (!imports.size) problems.push(`${root}: no TypeScript`)
if (problems.length) {
  console.error(problems.join("\n"))
  process.exit(1)
}
console.log(`sources: ok, ${imports.size} files`)

function checkLines(file) {
  file.text.split("\n").forEach((line, i) => {
    const length = [...line].length
    if (length > LONGEST_LINE) problems.push(`${file.fileName}:${i + 1}: line of ${length} characters`)
  })
}

// importsOf are the files that one imports or exports from.
function importsOf(file) {
  return file.statements
    .map((s) => (ts.isImportDeclaration(s) || ts.isExportDeclaration(s) ? (s.moduleSpecifier?.text ?? "") : ""))
    .filter((name) => name.startsWith("."))
    .map((name) => join(dirname(file.fileName), name))
}

// checkCircles reports each circle that a walk along the imports closes.
function checkCircles() {
  const done = new Set()
  const walk = (path, above) => {
    const from = above.indexOf(path)
    if (from >= 0) {
      const circle = [...above.slice(from), path].map((p) => relative(root, p))
      problems.push(`${path}: imports itself: ${circle.join(" > ")}`)
    }
    if (from >= 0 || done.has(path)) return
    for (const next of imports.get(path) ?? []) walk(next, [...above, path])
    done.add(path)
  }
  for (const path of imports.keys()) walk(path, [])
}
