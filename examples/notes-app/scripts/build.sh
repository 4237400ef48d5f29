#!/bin/sh
# Copies what the server needs into dist/.
set -eu
cd "$(dirname "$0")/.."
rm -rf dist
mkdir -p dist/data
cp -R src dist/src
cp data/tags.json dist/data/
echo "built dist/ ($(find dist -type f | wc -l | tr -d ' ') files)"
