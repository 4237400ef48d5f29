// Stores blobs until it is killed. Usage: node crash-child.mjs <store module> <folder> <durability> <round>
// Prints `try <hash> <size>` before and `ack <hash> <size>` after each; pipes are written synchronously on POSIX.
import { createCipheriv, createHash } from 'node:crypto';
import { writeSync } from 'node:fs';

const [module, folder, durability, round] = process.argv.slice(2);
const { HotBlobStore } = await import(module);
const store = await HotBlobStore.open({ folder, durability });
const WORKERS = 12;
const CHUNK = 50_000;

const say = (verb, hash, size) => writeSync(1, `${verb} ${hash} ${size}\n`);

function contentOf(name, size) {
  const key = createHash('sha256').update(name).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

async function upload(hash, content) {
  const target = await store.openUpload(hash, content.length);
  for (let offset = 0; offset < content.length; offset += CHUNK) {
    await target.append(offset, content.subarray(offset, offset + CHUNK));
  }
  await target.commit();
}

async function work(worker) {
  for (let count = 0; ; count += 1) {
    const size = count % 3 === 0 ? 70_000 + count * 1000 : (count * 997) % 65_537;
    const content = contentOf(`${round} ${worker} ${count}`, size);
    const hash = createHash('sha256').update(content).digest('hex');
    say('try', hash, size);
    await (count % 2 === 0 ? upload(hash, content) : store.put(hash, content));
    say('ack', hash, size);
  }
}

await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
