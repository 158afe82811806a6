// A real S3 server (s3rver) on loopback, in a process of its own: its continuation tokens need a cipher that Node leaves out by default.
import S3rver from 's3rver';

const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: process.argv[2],
  configureBuckets: [{ name: 'fleet' }],
});
const { port } = await server.run();
process.stdout.write(`${port}\n`);
process.once('disconnect', () => process.exit());
